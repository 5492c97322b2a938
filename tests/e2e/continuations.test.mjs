// Every continuation is followed to its end, with limits so small that nearly everything is cut: through resources/read and through the tool
// read_resource, each row and each byte of every source comes exactly once.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { modernRequest } from './raw_client.mjs';
import { ServerProcess, binary } from './server_process.mjs';

const SLUICE = binary('SLUICE');
const MARK = '\n\n[Content truncated...]';
const PAGES_MAX = 3_000;
const READ_BYTES = 3_000;  // limits.max_bytes
const TOOL_TOKENS = 700;   // limits.max_tokens

const range = (count) => Array.from({ length: count }, (_, i) => i);
const numbered = (count, text) => range(count).map((i) => `${i}: ${text}`).join('\n');

// A server over pipes, asked one thing at a time.
class Peer {
  constructor(config) {
    this.server = ServerProcess.stdio(SLUICE, 'serve', config);
    this.answers = createInterface({ input: this.server.child.stdout })[Symbol.asyncIterator]();
    this.id = 0;
  }

  async ask(method, params) {
    const id = ++this.id;
    this.server.child.stdin.write(`${JSON.stringify(modernRequest(id, method, params))}\n`);
    while (true) {
      const { value: line, done } = await this.answers.next();
      assert.ok(!done, `the server ended: ${this.server.log.join('\n')}`);
      const message = JSON.parse(line);
      if (message.id === id) return message;
    }
  }

  async result(method, params) {
    const { result, error } = await this.ask(method, params);
    assert.ok(result, `${method} ${JSON.stringify(params)}: ${JSON.stringify(error)}`);
    return result;
  }
}

const bodyOf = (one) => (one.blob === undefined ? one.text : Buffer.from(one.blob, 'base64'));

// What resources/read gives of a URI and of all that it names next: the first content of each page.
async function readPages(peer, uri) {
  const pages = [];
  for (let next = uri; next; ) {
    assert.ok(pages.length < PAGES_MAX, `${uri} does not end`);
    const { contents } = await peer.result('resources/read', { uri: next });
    pages.push({ uri: next, mimeType: contents[0].mimeType, body: bodyOf(contents[0]), contents });
    next = contents[0]._meta?.['sluice/next'] ?? contents[0]._meta?.next;
  }
  return pages;
}

// The same through read_resource, whose answers fit their limit.
async function toolPages(peer, uri) {
  const pages = [];
  for (let next = { uri }; next; ) {
    assert.ok(pages.length < PAGES_MAX, `${uri} does not end`);
    const result = await peer.result('tools/call', { name: 'read_resource', arguments: next });
    const text = result.content[0].text;
    assert.ok(!result.isError, `${JSON.stringify(next)}: ${text}`);
    assert.ok(Buffer.byteLength(text) <= 4 * TOOL_TOKENS, `${JSON.stringify(next)}: ${Buffer.byteLength(text)} bytes`);
    const answer = JSON.parse(text);
    for (const one of answer.contents) {
      if (one.blob === undefined && one.text === undefined) continue;
      pages.push({ uri: next.uri, mimeType: one.mimeType, body: bodyOf(one), contents: [one], last: !answer.next });
    }
    next = answer.next;
  }
  return pages;
}

// Every item of a list.
async function walk(peer, method, key) {
  const all = [];
  for (let cursor; ; ) {
    const page = await peer.result(method, cursor ? { cursor } : {});
    all.push(...page[key]);
    cursor = page.nextCursor;
    if (!cursor) return all;
  }
}

const WAYS = { 'resources/read': readPages, read_resource: toolPages };

const joined = (pages) => {
  const parts = pages.map(({ body }, i) => (i + 1 < pages.length && typeof body === 'string' && body.endsWith(MARK) ? body.slice(0, -MARK.length) : body));
  return Buffer.isBuffer(parts[0]) ? Buffer.concat(parts) : parts.join('');
};
const rowsOf = (pages, key) => pages.flatMap(({ uri, body }) => {
  const document = JSON.parse(body);  // Every page is valid JSON.
  const rows = key ? document[key] : document;
  assert.ok(Array.isArray(rows), `${uri}: ${body.slice(0, 200)}`);
  return rows;
});

function git(folder, ...args) {
  const env = {
    PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', maxBuffer: 64 << 20 });
}

const LONG = numbered(900, 'a "quoted" line, with\ttabs, \u0001 and wörds €🙂');
const SHORT = numbered(200, 'of another server, "quoted" €');
const WIDE = numbered(300, 'ячейка 🙂 wide');
const BYTES = Buffer.from(range(9_000).map((i) => (i * 7) % 256));
const ROWS = range(700).map((i) => ({ id: i + 1, name: `row "${i}" with €`, note: 'x'.repeat(i % 90) }));
const RECORDS = range(150).map((i) => ({ n: i, text: `"${i}" `.repeat(12) }));

function makeFiles(folder) {
  mkdirSync(join(folder, 'files/many'), { recursive: true });
  writeFileSync(join(folder, 'files/long.txt'), LONG);
  writeFileSync(join(folder, 'files/wide.txt'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(WIDE, 'utf16le')]));
  writeFileSync(join(folder, 'files/data.bin'), BYTES);
  range(140).forEach((i) => writeFileSync(join(folder, `files/many/name ${i} & "more".txt`), `file ${i}`));
  mkdirSync(join(folder, 'pages'));
  writeFileSync(join(folder, 'pages/guide.md'), `# Guide\n\n${LONG}`);
}

function makeRepository(folder) {
  const path = join(folder, 'repo');
  mkdirSync(path);
  git(path, 'init', '-q', '-b', 'main');
  writeFileSync(join(path, 'long.txt'), 'short\n');
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', 'first');
  writeFileSync(join(path, 'long.txt'), `${LONG.replaceAll('\u0001', '')}\n`);
  range(130).forEach((i) => writeFileSync(join(path, `file ${i}`), `${i}\n`));
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', 'many files');
  range(130).forEach((i) => git(path, 'commit', '-q', '--allow-empty', '-m', `commit ${i} with "quotes"`));
  const head = git(path, 'rev-parse', 'HEAD').trim();
  const refs = range(120).flatMap((i) => [`create refs/heads/topic/${i} ${head}`, `create refs/tags/v${i} ${head}`]);
  execFileSync('git', ['-C', path, 'update-ref', '--stdin'], { input: `${refs.join('\n')}\n`, env: { PATH: '/usr/bin:/bin' } });
  range(130).forEach((i) => writeFileSync(join(path, `new file ${i}`), ''));
  return path;
}

function makeTables(folder) {
  mkdirSync(join(folder, 'tables'));
  const lines = ROWS.map((row) => `${row.id},"${row.name.replaceAll('"', '""')}",${row.note}`);
  writeFileSync(join(folder, 'tables/orders.csv'), `id,name,note\n${lines.join('\n')}\n`);
  cpSync(fileURLToPath(new URL('../../examples/records/data', import.meta.url)), join(folder, 'records'), { recursive: true });
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'inner/short.txt'), SHORT);
  writeFileSync(join(folder, 'inner.yaml'), 'files: [ { name: inner, path: inner } ]\n');
}

function makeDatabase(folder) {
  const shop = new DatabaseSync(join(folder, 'shop.db'));
  shop.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, note TEXT)');
  const insert = shop.prepare('INSERT INTO orders VALUES (?, ?, ?)');
  shop.exec('BEGIN');
  ROWS.forEach((row) => insert.run(row.id, row.name, row.note));
  shop.exec('COMMIT');
  shop.close();
}

// Answers that are JSON, text and pages that name the next.
async function startApi() {
  const pageOf = (at) => ({ items: RECORDS.slice(at, at + 50), link: at + 50 < RECORDS.length ? `/paged?from=${at + 50}` : null });
  const api = createServer((request, response) => {
    const url = new URL(request.url, 'http://host');
    const [type, body] = {
      '/records': () => ['application/json', JSON.stringify({ count: RECORDS.length, records: RECORDS })],
      '/text': () => ['text/plain; charset=utf-8', LONG],
      '/paged': () => ['application/json', JSON.stringify(pageOf(Number(url.searchParams.get('from') ?? 0)))],
    }[url.pathname]();
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve));
  return api;
}

describe('with small limits, every continuation leads to the end', () => {
  let folder;
  let repository;
  let api;
  let peer;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-continuations-'));
    makeFiles(folder);
    repository = makeRepository(folder);
    makeDatabase(folder);
    makeTables(folder);
    api = await startApi();
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `
limits: { max_bytes: ${READ_BYTES}, max_tokens: ${TOOL_TOKENS} }
files: [ { name: files, path: files } ]
docs: [ { path: pages } ]
collections: [ { name: tables, path: tables } ]
records: { path: records }
upstreams: { inner: { command: ${JSON.stringify(SLUICE)}, args: [ serve, ${JSON.stringify(join(folder, 'inner.yaml'))} ] } }
templates:
  - { uri: "orders://all", query: { database: shop, sql: "SELECT * FROM orders ORDER BY id LIMIT 500", max_rows: 1000 } }
  - { uri: "about://{name}", file: "{name}.txt" }
git: [ { name: repo, path: repo } ]
databases: [ { name: shop, url: "sqlite:shop.db" } ]
apis:
  - name: v1
    base: "http://127.0.0.1:${api.address().port}"
    allow_private: true
    endpoints:
      - { name: records, path: /records }
      - { name: text, path: /text }
      - { name: paged, path: /paged, query: { from: "{from}" }, pagination: { next: /link } }
`);
    peer = new Peer(config);
  });
  after(async () => {
    await peer?.server.stop();
    api?.closeAllConnections();
    api?.close();
    rmSync(folder, { recursive: true });
  });

  for (const [way, pagesOf] of Object.entries(WAYS)) {
    describe(`through ${way}`, () => {
      it('of text, in any encoding', async () => {
        assert.equal(joined(await pagesOf(peer, 'file:///long.txt')), LONG);
        assert.equal(joined(await pagesOf(peer, 'file:///wide.txt')), WIDE);
        assert.equal(joined(await pagesOf(peer, 'docs://guide')), `# Guide\n\n${LONG}`);
        assert.equal(joined(await pagesOf(peer, 'api://v1/text')), LONG);
        assert.equal(joined(await pagesOf(peer, 'git://main/long.txt')), `${LONG.replaceAll('\u0001', '')}\n`);
      });

      it('of bytes, in ranges', async () => {
        assert.deepEqual(joined(await pagesOf(peer, 'file:///data.bin?offset=0&length=1500')), BYTES);
      });

      it('of folders', async () => {
        const names = range(140).map((i) => `name ${i} & "more".txt`);
        for (const uri of ['file:///many/?list', 'file:///many/', 'file:///many']) {
          const pages = (await pagesOf(peer, uri)).filter(({ mimeType }) => mimeType === 'inode/directory');
          assert.deepEqual(rowsOf(pages, 'entries').map((entry) => entry.name).sort(), [...names].sort(), uri);
        }
        const inTree = rowsOf(await pagesOf(peer, 'git://main/'), 'entries').map((entry) => entry.name);
        assert.deepEqual(inTree.sort(), ['long.txt', ...range(130).map((i) => `file ${i}`)].sort());
      });

      it('of histories, commits and differences', async () => {
        const ids = git(repository, 'log', '--format=%H', 'main').trim().split('\n');
        const log = joined(await pagesOf(peer, 'git://log?limit=1000'));
        assert.deepEqual(log.trim().split('\n').map((line) => line.slice(0, 10)), ids.map((id) => id.slice(0, 10)));
        assert.deepEqual(rowsOf(await pagesOf(peer, 'git://main/commits?format=json'), 'commits').map((one) => one.id), ids);
        const many = ids[130];
        // Without what git and libgit2 write differently: the length of ids, and a tab behind a name with spaces.
        const plain = (part) => part.replace(/^index .*$/m, '').replace(/^(\+{3} .*)\t$/m, '$1');
        const patches = (text) => text.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git ')).map(plain).sort();
        const expected = patches(git(repository, '-c', 'core.quotePath=false', 'show', '--format=', '--no-color', '--no-renames', many));
        assert.equal(expected.length, 131);
        assert.deepEqual(patches(joined(await pagesOf(peer, `git://commit/${many}`))), expected);
        assert.deepEqual(patches(joined(await pagesOf(peer, `git://diff/${ids[131]}..${many}`))), expected);
        const files = rowsOf(await pagesOf(peer, `git://diff/${ids[131]}..${many}?format=json`), 'files').map((one) => one.path);
        assert.deepEqual(files.sort(), ['long.txt', ...range(130).map((i) => `file ${i}`)].sort());
      });

      it('of refs and changes of a working tree', async () => {
        const branches = ['main', ...range(120).map((i) => `topic/${i}`)].sort();
        const tags = range(120).map((i) => `v${i}`).sort();
        const lines = async (uri, at) => joined(await pagesOf(peer, uri)).trimEnd().split('\n').map((line) => line.slice(at).split(' ')[0]);
        assert.deepEqual((await lines('git://branches', 2)).sort(), branches);
        assert.deepEqual((await lines('git://tags', 0)).sort(), tags);
        assert.deepEqual(rowsOf(await pagesOf(peer, 'git://branches?format=json'), 'branches').map((one) => one.name).sort(), branches);
        assert.deepEqual(rowsOf(await pagesOf(peer, 'git://tags?format=json'), 'tags').map((one) => one.name).sort(), tags);
        const changed = range(130).map((i) => `new file ${i}`).sort();
        const status = joined(await pagesOf(peer, 'git://status')).trimEnd().split('\n').slice(1);
        assert.deepEqual(status.map((line) => line.slice(3)).sort(), changed);
        assert.deepEqual(rowsOf(await pagesOf(peer, 'git://status?format=json'), 'entries').map((one) => one.path).sort(), changed);
      });

      it('of answers of an API, in rows and over its own pages', async () => {
        assert.deepEqual(rowsOf(await pagesOf(peer, 'api://v1/records'), 'records'), RECORDS);
        assert.deepEqual(rowsOf(await pagesOf(peer, 'api://v1/paged'), 'items'), RECORDS);
      });

      it('of tables', async () => {
        assert.deepEqual(rowsOf(await pagesOf(peer, 'db://orders/data')), ROWS);
      });

      it('of templates', async () => {
        assert.deepEqual(rowsOf(await pagesOf(peer, 'orders://all')), ROWS.slice(0, 500));
        assert.equal(joined(await pagesOf(peer, 'about://long')), LONG);
      });

      it('of all rows of a collection', async () => {
        // Each page of CSV begins with the names of the columns; a page that the tool cuts goes on where it was cut.
        const header = 'id,name,note\n';
        const text = (await pagesOf(peer, 'data://orders/full')).filter(({ mimeType }) => mimeType === 'text/csv').map(({ body }) => body).join('');
        const expected = ROWS.map((row) => `${row.id},"${row.name.replaceAll('"', '""')}",${row.note}`);
        assert.deepEqual(text.replaceAll(header, '').trimEnd().split('\n').map((line) => line.split(',')[0]), expected.map((line) => line.split(',')[0]));
      });

      it('of an upstream', async () => {
        const listed = await walk(peer, 'resources/list', 'resources');
        const found = listed.find((one) => one.uri.includes('inner') && one.uri.endsWith('short.txt'));
        assert.ok(found, JSON.stringify(listed.map((one) => one.uri)));
        assert.equal(joined(await pagesOf(peer, found.uri)), SHORT);
      });
    });
  }

  it('of the lists of resources and templates', async () => {
    const listed = (await walk(peer, 'resources/list', 'resources')).map((one) => one.uri);
    const templates = (await walk(peer, 'resources/templates/list', 'resourceTemplates')).map((one) => one.uriTemplate);
    assert.equal(new Set(listed).size, listed.length);
    const mirrored = { resources: [], templates: [] };
    for (let cursor; ; ) {
      const result = await peer.result('tools/call', { name: 'list_resources', arguments: cursor ? { cursor } : {} });
      const page = JSON.parse(result.content[0].text);
      assert.ok(result.content[0].text.length <= 4 * TOOL_TOKENS, `${result.content[0].text.length}`);
      mirrored.resources.push(...page.resources.map((one) => one.uri));
      mirrored.templates.push(...(page.templates ?? []).map((one) => one.uriTemplate));
      assert.equal(page.has_more, page.next_cursor !== undefined);
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    assert.deepEqual(mirrored.resources, listed);
    assert.deepEqual(mirrored.templates.sort(), templates.sort());
  });
});
