// Every continuation is followed to its end, with limits so small that nearly everything is cut: through resources/read, through the tool
// read_resource and through the tools that list rows, each row and each byte of every source comes exactly once.
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
    this.server = ServerProcess.stdio(SLUICE, 'serve', config, '--profile', 'full');
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

// Every row that a tool lists: `from` is the argument that reads on, and `next_${from}` names the next one. An answer that shows the last row
// does not say that there are more, and every other answer does.
async function listed(peer, name, args, { rows: key, from = 'offset' }) {
  const all = [];
  for (let next = args, pages = 0; ; ++pages) {
    assert.ok(pages < PAGES_MAX, `${name} does not end`);
    const result = await peer.result('tools/call', { name, arguments: next });
    const answer = result.structuredContent;
    assert.ok(!result.isError, result.content[0].text);
    assert.ok(Buffer.byteLength(result.content[0].text) <= 4 * TOOL_TOKENS, `${name}: ${Buffer.byteLength(result.content[0].text)} bytes`);
    assert.ok(Array.isArray(answer[key]), `${name}: ${JSON.stringify(answer).slice(0, 300)}`);
    all.push(...answer[key]);
    assert.equal(answer.has_more ?? false, answer[`next_${from}`] !== undefined, `${name}: ${JSON.stringify(answer).slice(0, 300)}`);
    if (!answer.has_more) return all;
    assert.ok(answer[key].length > 0, `${name} goes on without showing anything`);
    next = { ...next, [from]: answer[`next_${from}`] };
  }
}

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
const NOTES = range(130).map((i) => ({ id: i + 1, day: `2024-0${1 + (i % 9)}-11`, title: `note ${i} "quoted" €`, text: 'about water '.repeat(1 + (i % 7)) }));
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
  writeFileSync(join(folder, 'inner/long.txt'), LONG);
  range(90).forEach((i) => writeFileSync(join(folder, `inner/file ${i}`), `file ${i}`));
  writeFileSync(join(folder, 'inner.yaml'), 'limits: { max_bytes: 7000 }\nfiles: [ { name: inner, path: inner } ]\n');
}

// What only the program itself can write: records, and a file of Parquet.
async function prepare(folder) {
  writeFileSync(join(folder, 'prepare.yaml'), 'collections: [ { name: tables, path: tables } ]\nrecords: { path: records, writable: true }\n');
  const peer = new Peer(join(folder, 'prepare.yaml'));
  const call = async (name, args) => {
    const result = await peer.result('tools/call', { name, arguments: args });
    assert.ok(!result.isError, result.content[0].text);
    return result.structuredContent;
  };
  await call('create_data_type', { data_type: 'notes', schema: { id: 'integer', day: 'date', title: 'string', text: 'string' } });
  for (let i = 0; i < NOTES.length; i += 10) await call('add_records', { data_type: 'notes', records: NOTES.slice(i, i + 10) });
  const { resource_uri: uri } = await call('query_data', { dataset: 'orders', format: 'parquet' });
  const file = joined(await readPages(peer, uri));
  await peer.server.stop();
  writeFileSync(join(folder, 'tables/sales.parquet'), file);
}

const DATASETS = range(47).map((i) => ({
  id: `id-${i}`, name: `dataset-${i}`, title: `Dataset ${i} "quoted" €`, notes: i === 20 ? 'a very long text '.repeat(2_000) : 'words '.repeat(i % 40),
  resources: range(i === 20 ? 60 : 2).map((k) => ({ id: `r-${i}-${k}`, name: `File ${k}`, format: 'CSV', url: `https://example.org/${i}/${k}.csv` })),
}));
const CELLS = range(160).map((i) => ({ _id: i, key: `k${i}`, note: 'n'.repeat(i % 90) }));
const ORGANIZATIONS = range(120).map((i) => `organization-${String(i).padStart(3, '0')}`);

// A portal that gives what it is asked for, from and up to where it is asked.
async function startPortal() {
  const actions = {
    package_search: (asked) => {
      const start = Number(asked.get('start') ?? 0);
      const result = { count: DATASETS.length, results: DATASETS.slice(start, start + Number(asked.get('rows') ?? 10)) };
      const fields = JSON.parse(asked.get('facet.field') ?? '[]');
      if (fields.length > 0) result.facets = Object.fromEntries(fields.map((field) => [field, Object.fromEntries(ORGANIZATIONS.map((name, i) => [name, 500 - i]))]));
      return result;
    },
    package_show: () => DATASETS[20],
    organization_list: (asked) => ORGANIZATIONS.slice(Number(asked.get('offset')), Number(asked.get('offset')) + Number(asked.get('limit'))),
    datastore_search: (asked) => {
      const offset = Number(asked.get('offset') ?? 0);
      return { total: CELLS.length, fields: [{ id: '_id' }, { id: 'key' }, { id: 'note' }], records: CELLS.slice(offset, offset + Number(asked.get('limit') ?? 100)) };
    },
  };
  const portal = createServer((request, response) => {
    const url = new URL(request.url, 'http://host');
    const result = actions[url.pathname.split('/').pop()](url.searchParams);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ help: 'h', success: true, result }));
  });
  await new Promise((resolve) => portal.listen(0, '127.0.0.1', resolve));
  return portal;
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
  let portal;
  let peer;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-continuations-'));
    makeFiles(folder);
    repository = makeRepository(folder);
    makeDatabase(folder);
    makeTables(folder);
    await prepare(folder);
    api = await startApi();
    portal = await startPortal();
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `
limits: { max_bytes: ${READ_BYTES}, max_tokens: ${TOOL_TOKENS} }
files: [ { name: files, path: files } ]
docs: [ { path: pages } ]
collections: [ { name: tables, path: tables } ]
records: { path: records }
portals: [ { host: city, base: "http://127.0.0.1:${portal.address().port}", allow_private: true, text_field: false, rate: 1000, burst: 1000 } ]
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
    for (const server of [api, portal]) {
      server?.closeAllConnections();
      server?.close();
    }
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
        const resources = await walk(peer, 'resources/list', 'resources');
        const found = resources.find((one) => one.uri.includes('inner') && one.uri.endsWith('short.txt'));
        assert.ok(found, JSON.stringify(resources.map((one) => one.uri)));
        assert.equal(joined(await pagesOf(peer, found.uri)), SHORT);
      });

      it('of pages of an upstream', async () => {
        // The upstream marks the end of its own pages as well.
        assert.equal(joined(await pagesOf(peer, 'inner+file:///long.txt')).replaceAll(MARK, ''), LONG);
      });

      it('of records', async () => {
        const ids = NOTES.map((note) => note.id);
        assert.deepEqual(rowsOf(await pagesOf(peer, 'parquet://data_types/notes'), 'data').map((row) => row.id), ids);
        const types = rowsOf(await pagesOf(peer, 'parquet://data_types'), 'details').map((one) => one.data_type);
        assert.deepEqual(types.sort(), ['notes', 'tasks']);
      });

      it('of a file of Parquet', async () => {
        const text = (await pagesOf(peer, 'data://sales/full')).filter(({ mimeType }) => mimeType === 'text/csv').map(({ body }) => body).join('');
        assert.deepEqual(text.replaceAll('id,name,note\n', '').trimEnd().split('\n').map((line) => Number(line.split(',')[0])), ROWS.map((row) => row.id));
      });

      it('of a portal', async () => {
        for (const rows of [7, 100]) {
          const shown = rowsOf(await pagesOf(peer, `ckan://city/tag/t/datasets?rows=${rows}`), 'results');
          assert.deepEqual(shown.map((one) => one.name), DATASETS.map((one) => one.name));
        }
        assert.deepEqual(JSON.parse(joined(await pagesOf(peer, 'ckan://city/dataset/id-20?offset=0'))), DATASETS[20]);
      });
    });
  }

  it('of the tools over records', async () => {
    const ids = NOTES.map((note) => note.id);
    const data = { rows: 'data' };
    const numbers = async (name, args) => (await listed(peer, name, { data_type: 'notes', ...args }, data)).map((row) => row.id);
    assert.deepEqual(await numbers('read_parquet', {}), ids);
    assert.deepEqual(await numbers('read_parquet', { limit: 9 }), ids, 'a limit is of one page');
    assert.deepEqual(await numbers('sort_parquet', { sort_by: [{ column: 'id', ascending: false }] }), [...ids].reverse());
    assert.deepEqual((await numbers('query_with_date_range', { date_column: 'day', date_start: '2024-01-01', date_end: '2024-12-31' })).sort((a, b) => a - b), ids);
    const groups = await listed(peer, 'aggregate_parquet', { data_type: 'notes', group_by: ['title'], aggregations: { id: 'max' } }, data);
    assert.deepEqual(groups.map((one) => one.title).sort(), NOTES.map((note) => note.title).sort());
    const log = await listed(peer, 'read_audit_log', { data_type: 'notes' }, data);
    assert.deepEqual(log.filter((entry) => entry.operation === 'add').map((entry) => Number(entry.record_id)).sort((a, b) => a - b), ids);
  });

  it('of the tools over datasets', async () => {
    for (const dataset of ['orders', 'sales']) {
      const { structuredContent: first, content } = await peer.result('tools/call', { name: 'query_data', arguments: { dataset } });
      assert.ok(first, content[0].text);
      assert.equal(first.method, 'handle');
      const ids = [];
      for (let token = first.page_info.page_token; token; ) {
        const args = { result_handle: first.result_handle, page_token: token };
        const page = (await peer.result('tools/call', { name: 'query_next_page', arguments: args })).structuredContent;
        ids.push(...page.data.map((row) => row.id));
        assert.equal(page.page_info.has_more, page.page_info.page_token !== undefined);
        token = page.page_info.page_token;
      }
      assert.deepEqual(ids, ROWS.map((row) => row.id), dataset);
    }
  });

  it('of the tools over portals', async () => {
    const at = { server_url: 'city' };
    const names = (rows) => rows.map((one) => one.name ?? one);
    const all = DATASETS.map((one) => one.name);
    for (const response_format of ['json', 'markdown']) {
      const shown = async (name, args, how) => listed(peer, name, { ...at, ...args, response_format }, how);
      assert.deepEqual(names(await shown('ckan_package_search', { rows: 15 }, { rows: 'results', from: 'start' })), all);
      assert.deepEqual(names(await shown('ckan_package_search', { page: 1, page_size: 15 }, { rows: 'results', from: 'start' })), all);
      const cells = await shown('ckan_datastore_search', { resource_id: 'r', fields: ['_id', 'key', 'note'] }, { rows: 'records' });
      assert.deepEqual(cells.map((one) => one._id), CELLS.map((one) => one._id));
      const files = await shown('ckan_list_resources', { id: 'dataset-20' }, { rows: 'resources' });
      assert.deepEqual(files.map((one) => one.id), DATASETS[20].resources.map((one) => one.id));
      assert.deepEqual(names(await shown('ckan_organization_list', { limit: 50 }, { rows: 'organizations' })), ORGANIZATIONS);
      assert.deepEqual(names(await shown('ckan_tag_list', { limit: 50 }, { rows: 'tags' })), ORGANIZATIONS);
    }
  });

  it('of the tools over an upstream', async () => {
    const uris = [];
    for (let cursor; ; ) {
      const { structuredContent: page } = await peer.result('tools/call', { name: 'inner.resources_list', arguments: cursor ? { cursor } : {} });
      uris.push(...page.resources.map((one) => one.uri));
      assert.equal(page.truncated ?? false, page.next_cursor !== undefined);
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    assert.equal(new Set(uris).size, uris.length);
    for (const i of range(90)) assert.ok(uris.some((uri) => decodeURIComponent(uri).endsWith(`/file ${i}`)), `file ${i}`);
    let text = '';
    for (let uri = 'file:///long.txt', pages = 0; uri; ++pages) {
      assert.ok(pages < PAGES_MAX);
      const { structuredContent: { result } } = await peer.result('tools/call', { name: 'inner.resources_read', arguments: { uri } });
      assert.ok(!result.error, JSON.stringify(result));
      text += result.text ?? '';
      uri = result.next ?? (result.text === undefined ? result.artifact.uri : undefined);
    }
    assert.equal(text.replaceAll(MARK, ''), LONG);
  });

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
