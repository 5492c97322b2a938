// Servers that `sluice` is configured to ask lead it to addresses inside: HTTP APIs by redirects, names and pages, MCP servers by
// where they say that callers get their tokens.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { connect, modernClient } from '../e2e/connection.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { until } from '../e2e/waiting.mjs';
import { PUBLIC, nameWorld } from './name_world.mjs';

for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) [name, name.toLowerCase()].forEach((one) => delete process.env[one]);

// Where an MCP server says that the metadata of its authorization is.
const METADATA = [
  'http://169.254.169.254/latest/meta-data/', 'https://169.254.169.254/x', 'https://127.0.0.1/x', 'http://127.0.0.1/x', 'https://[::1]/x',
  'https://10.0.0.1/x', 'https://inner.example/x', 'https://[::ffff:169.254.169.254]/x', 'https://2130706433/x', 'https://user@10.0.0.1/x',
];
// Places outside: they redirect inside, or name an authorization server inside.
const OUTSIDE = ['https://outside.example/redirect', 'https://outside.example/inner', 'https://outside.example/name'];
const ALL = [...METADATA, ...OUTSIDE];

let world;
let server;
let client;
let stop;
const routes = new Map();
const challenged = new Set();
const found = new Set();
const asked = [];  // Of the HTTP APIs: host and target.

// What those places answer.
const ANSWERS = {
  '/redirect': (response) => response.writeHead(302, { Location: 'https://10.0.0.1/metadata' }).end(),
  '/inner': (response, resource) => metadata(response, resource, 'https://169.254.169.254'),
  '/name': (response, resource) => metadata(response, resource, 'https://inner.example'),
};

function metadata(response, resource, server) {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ resource, authorization_servers: [server] }));
}

function handle(request, response) {
  const host = request.headers.host;
  if (host === 'outside.example') {
    found.add(request.url);
    return ANSWERS[request.url]?.(response, `https://mcp-${ALL.indexOf(`https://${host}${request.url}`)}.example/mcp`);
  }
  const upstream = /^mcp-(\d+)\.example$/.exec(host);
  if (upstream) {
    challenged.add(host);
    return response.writeHead(401, { 'WWW-Authenticate': `Bearer resource_metadata="${ALL[Number(upstream[1])]}"` }).end();
  }
  asked.push(`${host} ${request.url}`);
  const route = routes.get(request.url.split('?')[0]);
  if (route) return route(response);
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ host }));
}

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-inner-'));
  const names = ['outside.example', ...ALL.map((_, i) => `mcp-${i}.example`)];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30',
    '-subj', '/CN=outside', '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
    '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')], { stdio: 'ignore' });
  world = await nameWorld(handle, { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'ca.pem')) });
  world.resolver.lead('inner.example', { a: ['169.254.169.254'] });
  for (const name of ['api.example', 'other.example', ...names]) world.resolver.lead(name, { a: [PUBLIC] });
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, `apis:
  - name: v1
    base: "http://api.example"
    allowed_origins: [ "http://other.example", "http://inner.example", "http://10.0.0.1" ]
    ttl: 0s
    endpoints:
      - { name: go, path: "/go/{to}" }
      - { name: items, path: /items, query: { page: "{page}" }, pagination: { next: link } }
  - { name: moved, base: "http://moving.example", ttl: 0s, endpoints: [ { name: status, path: "/status/{n}" } ] }
token_store: tokens
upstreams:
${ALL.map((_, i) => `  s${i}: { url: "https://mcp-${i}.example/mcp", ca_file: ca.pem, authorization: { scopes: [ read ] } }`).join('\n')}
`);
  server = await ServerProcess.listening('env', [...world.environment, binary('SLUICE'), 'serve', config, '--http', '127.0.0.1:0']);
  const ends = [];
  ({ client } = await connect({ after: (end) => ends.push(end) }, modernClient(), { sdk: 'modern', transport: 'http', server }));
  stop = async () => {
    for (const end of ends) await end();
    await server.stop();
    rmSync(folder, { recursive: true });
  };
});
after(async () => {
  await stop?.();
  world?.close();
});

async function read(uri) {
  try {
    const { contents } = await client.readResource({ uri });
    return { text: contents[0].text, meta: contents[0]._meta };
  } catch (error) {
    return { code: error.data?.code ?? error.message };
  }
}

describe('an MCP server that wants a token', () => {
  it('is not followed inside to find out where to get one', async () => {
    await until('every server has been asked', () => challenged.size === ALL.length, 20_000);
    // The places outside show that such URLs are followed at all.
    await until('the places outside have been asked', () => found.size === OUTSIDE.length, 20_000);
    await until('the name of the authorization server is looked up', () => world.resolver.lookUps('inner.example') > 0, 20_000);
    assert.deepEqual(world.trapped, []);
  });
});

describe('an HTTP API', () => {
  beforeEach(() => {
    world.trapped.length = 0;
    asked.length = 0;
    routes.clear();
  });

  it('does not lead inside by a redirect, not even to an origin that is allowed', async () => {
    for (const to of ['http://10.0.0.1/x', 'http://169.254.169.254/latest/meta-data/', 'http://inner.example/x', 'http://[::1]/x',
      'http://127.0.0.1/x', 'http://0/x', 'gopher://10.0.0.1/x', 'file:///etc/passwd']) {
      routes.set('/go/a', (response) => response.writeHead(302, { Location: to }).end());
      const { code } = await read('api://v1/go/a');
      assert.match(code, /^(address_refused|redirect_refused|origin_refused)$/, `${to}: ${code}`);
    }
    assert.deepEqual(world.trapped, []);
    routes.set('/go/a', (response) => response.writeHead(302, { Location: 'http://other.example/fine' }).end());
    assert.deepEqual(JSON.parse((await read('api://v1/go/a')).text), { host: 'other.example' });
  });

  it('does not lead inside by a name that changes', async () => {
    for (const [n, inner] of ['127.0.0.1', '10.0.0.1', '169.254.169.254'].entries()) {
      world.resolver.lead('moving.example', { a: [inner] });
      assert.equal((await read(`api://moved/status/${n}`)).code, 'address_refused');
    }
    assert.deepEqual(world.trapped, []);
  });

  it('does not change host or path by a value', async () => {
    for (const value of ['..%2f..%2fadmin', '%2e%2e', '@10.0.0.1', '%0d%0aHost:%20inner.example', 'x%23y', 'a%3Fb'])
      await read(`api://v1/go/${value}`);
    assert.deepEqual(world.trapped, []);
    // Whatever is sent at all is one segment, which stays below its folder.
    for (const target of asked) assert.match(target, /^api\.example \/go\/(?!(\.|%2e){1,2}$)[^/?#]+$/i);
    assert.ok(asked.length > 0, 'none was asked for');
  });

  it('does not name a page inside as the next one', async () => {
    routes.set('/items', (response) => response
      .writeHead(200, { 'Content-Type': 'application/json', Link: '<http://169.254.169.254/items?page=2>; rel="next"' }).end('[]'));
    const { text, meta } = await read('api://v1/items');
    assert.equal(text, '[]');
    assert.equal(meta?.['sluice/next'], undefined);
    assert.deepEqual(world.trapped, []);
  });
});
