// `sluice serve` with an HTTP API, used by the official clients: listing, reading, pages, changes, errors, checking.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
process.env.TEST_API_TOKEN = 'api-token-0123456789';

// An API whose state the test changes.
async function startApi(t) {
  const state = { status: 'fine', requests: [] };
  const server = createServer((request, response) => {
    state.requests.push(request);
    const url = new URL(request.url, 'http://x');
    const page = Number(url.searchParams.get('page') ?? 1);
    if (request.headers.authorization !== `Bearer ${process.env.TEST_API_TOKEN}`) return response.writeHead(401).end();
    if (url.pathname === '/v1/status') {
      const tag = `"${state.status}"`;
      if (request.headers['if-none-match'] === tag) return response.writeHead(304).end();
      response.writeHead(200, { 'Content-Type': 'application/json', ETag: tag, 'Content-Encoding': 'gzip' });
      return response.end(gzipSync(JSON.stringify({ status: state.status }, null, 2)));
    }
    if (url.pathname === '/v1/items')
      return response.writeHead(200, page < 3 ? { Link: `</v1/items?page=${page + 1}>; rel="next"` } : {}).end(`[${page}]`);
    if (url.pathname === '/v1/users/J%C3%BCrgen') return response.writeHead(200).end('found');
    if (url.pathname === '/v1/users/broken') return response.writeHead(503, { 'Retry-After': '60' }).end();
    response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, base: `http://127.0.0.1:${server.address().port}/v1` };
}

function configOf(t, base) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-apis-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'sluice.yaml');
  writeFileSync(path, `
apis:
  - name: v1
    base: "${base}"
    headers: { Authorization: "Bearer \${TEST_API_TOKEN}" }
    allow_private: true
    ttl: 0s
    poll: 1s
    endpoints:
      - { name: status, path: /status, description: How it is }
      - { name: user, path: "/users/{user_id}" }
      - { name: items, path: /items, query: { page: "{page}" }, pagination: { next: link } }
`);
  return path;
}

for (const sdk of ['modern', 'legacy']) {
  describe(`an API served to a client of the ${sdk} era`, () => {
    it('is listed, read and paged through', async (t) => {
      const api = await startApi(t);
      const server = await ServerProcess.listening(SLUICE, ['serve', configOf(t, api.base), '--http', '127.0.0.1:0']);
      t.after(() => server.stop());
      const { client } = await connect(t, sdk === 'modern' ? modernClient() : legacyClient(), { sdk, transport: 'http', server });
      const list = await client.listResources();
      assert.deepEqual(list.resources.map((one) => one.uri), ['api://v1/items', 'api://v1/status']);
      const templates = await client.listResourceTemplates();
      assert.deepEqual(templates.resourceTemplates.map((one) => one.uriTemplate),
        ['api://v1/items{?page}', 'api://v1/user/{user_id}']);
      const status = await client.readResource({ uri: 'api://v1/status' });
      assert.equal(status.contents[0].text, '{"status":"fine"}');
      assert.equal((await client.readResource({ uri: 'api://v1/user/J%C3%BCrgen' })).contents[0].text, 'found');
      const pages = [];
      for (let uri = 'api://v1/items'; uri;) {
        const page = (await client.readResource({ uri })).contents[0];
        pages.push(page.text);
        uri = page._meta?.['sluice/next'];
      }
      assert.deepEqual(pages, ['[1]', '[2]', '[3]']);
      await assert.rejects(client.readResource({ uri: 'api://v1/user/nobody' }), /Resource not found/);
      await assert.rejects(client.readResource({ uri: 'api://v1/user/broken' }), /the API answered 503/);
      await assert.rejects(client.readResource({ uri: 'api://v1/user/..%2Fstatus' }), /Resource not found/);
      assert.ok(!server.log.join('').includes(process.env.TEST_API_TOKEN));
      const diagnosis = (await client.callTool({ name: 'diagnose', arguments: {} })).structuredContent;
      assert.match(diagnosis.sources[0].state, /^reachable, answered 200, 3 endpoints/);
    });
  });
}

it('tells subscribers of changes', async (t) => {
  const api = await startApi(t);
  const server = await ServerProcess.listening(SLUICE, ['serve', configOf(t, api.base), '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server });
  const updated = [];
  client.fallbackNotificationHandler = async (message) => updated.push(message.params?.uri);
  await client.subscribeResource({ uri: 'api://v1/status' });
  await until('the first look', () => api.state.requests.length > 0);
  api.state.status = 'changed';
  await until('the update', () => updated.includes('api://v1/status'));
  assert.equal((await client.readResource({ uri: 'api://v1/status' })).contents[0].text, '{"status":"changed"}');
});

it('is checked without being shown', async (t) => {
  const api = await startApi(t);
  const good = configOf(t, api.base);
  const run = (path) => new Promise((resolve) => {
    // Not spawnSync: the API is served by this very process.
    const child = new ServerProcess(SLUICE, ['check', path]);
    let out = '';
    child.child.stdout.on('data', (data) => { out += data; });
    child.exited.then(({ code }) => resolve({ code, out: out + child.log.join('\n') }));
  });
  const fine = await run(good);
  assert.match(fine.out, /api v1.*reachable, answered 200/);
  assert.equal(fine.code, 0);
  assert.ok(!fine.out.includes(process.env.TEST_API_TOKEN));
  const closed = spawnSync(SLUICE, ['check', configOf(t, 'http://127.0.0.1:1')], { encoding: 'utf8', timeout: 20_000 });
  assert.match(closed.stdout + closed.stderr, /connect_failed/);
  assert.notEqual(closed.status, 0);
});
