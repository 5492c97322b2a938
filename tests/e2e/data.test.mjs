// `sluice serve FOLDER` with real files, used by the official clients: discovery, queries, handles, files that change.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');

process.env.TEST_TOKEN_ALICE = 'alice-0123456789abcdef';
process.env.TEST_TOKEN_BOB = 'bob-0123456789abcdefgh';
process.env.TEST_SIGNING_KEY = 'a key of thirty-two characters and more';

function folderOf(t, files) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-data-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function bigCsv(rows) {
  let text = 'id,name\n';
  for (let i = 0; i < rows; ++i) text += `${i},name of number ${i}\n`;
  return text;
}

// A copy of the program without the engine's library, neither beside it nor in ../lib/sluice.
function withoutEngine(t) {
  const folder = join(folderOf(t, {}), 'bin');
  mkdirSync(folder);
  const path = join(folder, 'sluice');
  copyFileSync(SLUICE, path);
  return path;
}

async function serve(t, ...args) {
  const server = await ServerProcess.listening(SLUICE, ['serve', ...args, '--profile', 'full', '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return server;
}

async function answer(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const object = JSON.parse(result.content[0].text);
  if (!result.isError) assert.deepEqual(result.structuredContent, object);
  return object;
}

for (const sdk of ['modern', 'legacy']) {
  describe(`a folder served to a client of the ${sdk} era`, () => {
    const client = () => (sdk === 'modern' ? modernClient() : legacyClient());

    it('is discovered, queried, and read through a handle', async (t) => {
      const server = await serve(t, folderOf(t, { 'big.csv': bigCsv(10_000), 'small.csv': 'a,b\n1,x\n2,y\n' }));
      const link = await connect(t, client(), { sdk, transport: 'http', server });
      const catalog = await answer(link.client, 'get_catalog', {});
      assert.deepEqual(catalog.datasets.map((one) => one.dataset), ['big', 'small']);
      const rows = await answer(link.client, 'query_data', { dataset: 'small', filters: [{ col: 'a', op: 'gt', value: 1 }] });
      assert.deepEqual(rows.data, [{ a: 2, b: 'y' }]);
      let page = await answer(link.client, 'query_data', { dataset: 'big' });
      assert.equal(page.method, 'handle');
      const handle = page.result_handle;
      let seen = 0;
      while (page.page_info.has_more) {
        page = await answer(link.client, 'query_next_page', { result_handle: handle, page_token: page.page_info.page_token });
        for (const row of page.data) assert.equal(row.id, seen++);
      }
      assert.equal(seen, 10_000);
      const resource = await link.client.readResource({ uri: `data://handle/${handle}/1` });
      assert.match(resource.contents[0].text, /^id,name\n/);
    });

    it('follows files that come, change and go', async (t) => {
      const folder = folderOf(t, { 'one.csv': 'a\n1\n' });
      const server = await serve(t, folder);
      const { client: connected } = await connect(t, client(), { sdk, transport: 'http', server });
      // A file that was just written may be told as changed once more.
      const rows = async (dataset) => (await answer(connected, 'aggregate', { dataset, aggs: [{ fn: 'count' }] })).data?.[0].count;
      const names = async () => (await answer(connected, 'get_catalog', {})).datasets.map((one) => one.dataset).join();
      assert.equal(await names(), 'one');
      writeFileSync(join(folder, 'two.csv'), 'a\n1\n2\n');
      await until('the new file is listed', async () => (await names()) === 'one,two');
      await until('its rows are counted', async () => (await rows('two')) === 2);
      appendFileSync(join(folder, 'two.csv'), '3\n');
      await until('the new row is counted', async () => (await rows('two')) === 3);
      rmSync(join(folder, 'one.csv'));
      await until('the removed file is gone', async () => (await names()) === 'two');
      assert.equal((await answer(connected, 'get_schema', { dataset: 'one' })).code, 'dataset_not_found');
    });
  });
}

describe('the first catalog after a start', () => {
  const range = (rows) => Array.from({ length: rows }, (_, i) => i);
  const parquet = (name) => fileURLToPath(new URL(`../data/parquet-testing/data/${name}`, import.meta.url));

  it('has a number of rows for every file, and calls exact what is', async (t) => {
    const folder = folderOf(t, {
      'small.csv': 'a,b\n1,"two\nlines"\n2,"and ""quotes"""\n',
      'empty.csv': 'a,b\n',
      'medium.csv': bigCsv(100_000),
      'large.csv': bigCsv(1_100_000),
      'list.json': JSON.stringify(range(5_000).map((id) => ({ id, tags: ['x,y', `{${id}}`] }))),
      'lines.ndjson': range(50_000).map((id) => `{"id":${id},"text":"line ${id}"}\n`).join(''),
      'packed.csv.gz': gzipSync(bigCsv(200_000)),
      'packed.ndjson.gz': gzipSync(range(30_000).map((id) => `{"id":${id}}\n`).join('')),
    });
    copyFileSync(parquet('alltypes_plain.parquet'), join(folder, 'few.parquet'));
    copyFileSync(parquet('alltypes_tiny_pages.parquet'), join(folder, 'pages.parquet'));
    const rows = { small: 2, empty: 0, medium: 100_000, large: 1_100_000, list: 5_000, lines: 50_000, few: 8, pages: 7_300,
      packed: 200_000, 'packed.ndjson.gz': 30_000 };
    const { client } = await connect(t, modernClient(),
      { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', folder, '--profile', 'full'] });
    const { datasets } = await answer(client, 'get_catalog', {});
    assert.deepEqual(datasets.map((one) => one.dataset).sort(), Object.keys(rows).sort());
    for (const { dataset, row_count_approx: count, row_count_kind: kind } of datasets) {
      assert.ok(['exact', 'estimate'].includes(kind), `${dataset}: ${kind}`);
      // By the beginning of compressed text, whose other parts may be compressed better.
      const tolerance = kind === 'exact' ? 0 : dataset.startsWith('packed') ? 0.6 : 0.1;
      assert.ok(Math.abs(count - rows[dataset]) <= tolerance * rows[dataset], `${dataset}: ${count} is ${kind}`);
    }
    const exact = new Set(datasets.filter((one) => one.row_count_kind === 'exact').map((one) => one.dataset));
    for (const dataset of ['small', 'empty', 'medium', 'few', 'pages']) assert.ok(exact.has(dataset), dataset);
    await until('everything is counted', async () =>
      (await answer(client, 'get_catalog', {})).datasets.every((one) => one.row_count_kind === 'exact'));
    for (const one of (await answer(client, 'get_catalog', {})).datasets)
      assert.equal(one.row_count_approx, rows[one.dataset], one.dataset);
  });
});

describe('a folder served over HTTP', () => {
  it('counts rows in the background, exactly', async (t) => {
    const server = await serve(t, folderOf(t, { 'lines.csv': 'a,b\n1,"two\nlines"\n2,"and ""quotes"""\n' }));
    const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    const counted = await until('the rows are counted', async () => {
      const [one] = (await answer(client, 'get_catalog', {})).datasets;
      return one.row_count_kind === 'exact' && one;
    });
    assert.equal(counted.row_count_approx, 2);
  });

  it('takes a token limit that is written down for a ceiling, and says so', async (t) => {
    for (const [limit, ceiling] of [['max_tokens: 8000', 8_000], ['max_tokens: 3000', 3_000], ['max_rows: 5000', 25_000]]) {
      const folder = folderOf(t, { 'big.csv': bigCsv(10_000) });
      const config = join(folderOf(t, {}), 'sluice.yaml');
      writeFileSync(config, `limits: { ${limit} }\ncollections: [ { path: ${folder} } ]\n`);
      const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server: await serve(t, config) });
      const { tools } = await client.listTools();
      const { max_tokens: stated } = tools.find((one) => one.name === 'query_data').inputSchema.properties;
      assert.equal(stated.description, `Default ${Math.min(ceiling, 8_000)}`);
      const { warnings } = await answer(client, 'query_data', { dataset: 'big', limit: 1, max_tokens: 90_000 });
      assert.match(warnings[0], new RegExp(`ceiling of ${ceiling}`));
    }
  });

  it('gives a whole result as one file, in parts', async (t) => {
    const server = await serve(t, folderOf(t, { 'big.csv': bigCsv(10_000) }));
    const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    const made = await answer(client, 'query_data', { dataset: 'big', output_format: 'csv' });
    assert.equal(made.row_count, 10_000);
    let text = '';
    for (let uri = made.resource_uri; uri;) {
      const [part] = (await client.readResource({ uri })).contents;
      assert.equal(part._meta.bytes, made.file_size_bytes);
      text += part.text;
      uri = part._meta.next;
    }
    assert.equal(text, bigCsv(10_000));
  });

  it('tells subscribers what changed', async (t) => {
    const folder = folderOf(t, { 'one.csv': 'a\n1\n' });
    const server = await serve(t, folder);
    const changes = [];
    const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server });
    const { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } =
      (await import('./npm_package.mjs')).npmPackage('@modelcontextprotocol/sdk/types.js');
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => { changes.push('list'); });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => { changes.push(params.uri); });
    await answer(client, 'get_catalog', {});
    await client.subscribeResource({ uri: 'data://one/schema' });
    writeFileSync(join(folder, 'two.csv'), 'a\n');
    await until('the list has changed', () => changes.includes('list'));
    appendFileSync(join(folder, 'one.csv'), '2\n');
    await until('the resource was updated', () => changes.includes('data://one/schema'));
  });

  it('gives a handle to its owner alone (handle_theft)', async (t) => {
    const folder = folderOf(t, { 'big.csv': bigCsv(10_000) });
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `server: { http: "127.0.0.1:0", tokens: [ { name: alice, env: TEST_TOKEN_ALICE }, { name: bob, env: TEST_TOKEN_BOB } ] }
collections: [ { name: data, path: ${folder} } ]
`);
    const server = await ServerProcess.listening(SLUICE, ['serve', config, '--profile', 'full']);
    t.after(() => server.stop());
    const as = async (token) => (await connect(t, modernClient(), {
      sdk: 'modern', transport: 'http', server, requestInit: { headers: { Authorization: `Bearer ${token}` } },
    })).client;
    const alice = await as(process.env.TEST_TOKEN_ALICE);
    const bob = await as(process.env.TEST_TOKEN_BOB);
    const { result_handle: handle } = await answer(alice, 'query_data', { dataset: 'big' });
    assert.equal((await answer(alice, 'query_next_page', { result_handle: handle })).row_count > 0, true);
    assert.equal((await answer(bob, 'query_next_page', { result_handle: handle })).code, 'unknown_handle');
  });

  it('is served by any of several processes that share a spool and a key, and by the others when one is killed', async (t) => {
    const folder = folderOf(t, { 'big.csv': bigCsv(10_000) });
    const spool = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
    t.after(() => rmSync(spool, { recursive: true }));
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `server:
  http: "127.0.0.1:0"
  tokens: [ { name: alice, env: TEST_TOKEN_ALICE }, { name: bob, env: TEST_TOKEN_BOB } ]
  signing_key: { env: TEST_SIGNING_KEY }
spool: { path: ${spool} }
collections: [ { name: data, path: ${folder} } ]
`);
    const servers = await Promise.all([1, 2].map(() => ServerProcess.listening(SLUICE, ['serve', config, '--profile', 'full'])));
    servers.forEach((server) => t.after(() => server.stop()));
    const as = async (server, token) => (await connect(t, modernClient(), {
      sdk: 'modern', transport: 'http', server, requestInit: { headers: { Authorization: `Bearer ${token}` } },
    })).client;
    const [one, two] = await Promise.all(servers.map((server) => as(server, process.env.TEST_TOKEN_ALICE)));
    let page = await answer(one, 'query_data', { dataset: 'big' });
    const handle = page.result_handle;
    let seen = 0;
    for (let turn = 0; page.page_info.has_more; ++turn) {
      if (turn === 3) servers[0].child.kill('SIGKILL');
      const client = turn < 3 && turn % 2 === 0 ? one : two;
      page = await answer(client, 'query_next_page', { result_handle: handle, page_token: page.page_info.page_token });
      for (const row of page.data) assert.equal(row.id, seen++);
    }
    assert.equal(seen, 10_000);
    const resource = await two.readResource({ uri: `data://handle/${handle}/1` });
    assert.match(resource.contents[0].text, /^id,name\n/);
    const bob = await as(servers[1], process.env.TEST_TOKEN_BOB);
    assert.equal((await answer(bob, 'query_next_page', { result_handle: handle })).code, 'unknown_handle');
  });

  it('lists a file that cannot be read with its error, and serves the rest', async (t) => {
    const server = await serve(t, folderOf(t, { 'broken.parquet': 'not parquet', 'fine.csv': 'a\n1\n' }));
    const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    const broken = await until('the count has failed', async () => {
      const [one] = (await answer(client, 'get_catalog', { match: 'broken' })).datasets;
      return one.row_count_kind === 'unreadable' && one;
    });
    assert.ok(broken.error.length > 0 && !broken.error.includes('/proc') && !broken.error.includes(tmpdir()), broken.error);
    assert.equal((await answer(client, 'query_data', { dataset: 'fine' })).row_count, 1);
    const schema = await answer(client, 'get_schema', { dataset: 'broken' });
    assert.ok(schema.code && schema.hint, JSON.stringify(schema));
  });

  it('answers where its engine cannot be loaded, and says so to whoever needs it', async (t) => {
    const server = await ServerProcess.listening(withoutEngine(t),
      ['serve', folderOf(t, { 'fine.csv': 'a\n1\n' }), '--profile', 'full', '--http', '127.0.0.1:0']);
    t.after(() => server.stop());
    const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    assert.deepEqual((await answer(client, 'get_catalog', {})).datasets.map((one) => one.dataset), ['fine']);
    for (let turn = 0; turn < 2; ++turn) {
      await assert.rejects(answer(client, 'query_data', { dataset: 'fine' }), ({ code, message, data }) => {
        assert.deepEqual([code, data.code], [-32603, 'engine_failed']);
        assert.ok(data.hint && !message.includes('nowhere'), message);
        return true;
      });
    }
    assert.equal((await server.stop()).code, 0);
  });
});
