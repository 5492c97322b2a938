// Callers with tokens of identity providers: the official clients log in at real providers and use the server.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { legacyClient, modernClient } from './connection.mjs';
import { IdentityProvider, Login, signingKey } from './identity_providers.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
process.env.TEST_INTROSPECTION_SECRET = 'sluice-secret-0123';
process.env.TEST_STATIC_TOKEN = 'static-0123456789abcdef';

const MODERN_META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'sluice-identity-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// A server that accepts tokens of these issuers. `auth` is YAML beside `issuers`.
async function serve(t, issuers, { auth = 'scopes: {}', server = '' } = {}) {
  const place = folder(t);
  writeFileSync(join(place, 'sales.csv'), 'region,amount\nnorth,1\nsouth,2\n');
  mkdirSync(join(place, 'records'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const text = () => `server:
  http: "127.0.0.1:${port}"
  public_url: "${url}"
  tokens: [ { name: etl, env: TEST_STATIC_TOKEN } ]
  ${server}
auth:
  issuers:
${issuers.map((each) => `    - ${JSON.stringify(each)}`).join('\n')}
  ${auth}
records: { path: "${join(place, 'records')}", writable: true }
rest: {}
files: [ { name: sales, path: "${place}" } ]
`;
  const file = join(place, 'sluice.yaml');
  writeFileSync(file, text());
  const running = await ServerProcess.listening(SLUICE, ['serve', file]);
  t.after(() => running.stop());
  return { url: new URL('/mcp', url), origin: url, running, file, place };
}

const issuerOf = (provider, more = {}) => ({ name: 'corp', issuer: provider.issuer, ...more });

// One request of the modern era without a client.
async function ask(url, token, { method = 'tools/list', params = {}, headers = {} } = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method, ...(params.name ? { 'Mcp-Name': params.name } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}), ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'q', method, params: { ...params, _meta: MODERN_META } }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const SDKS = {
  modern: {
    client: () => modernClient(),
    transport: (url, options) => new (npmPackage('@modelcontextprotocol/client').StreamableHTTPClientTransport)(url, options),
    call: (client, name, args) => client.callTool({ name, arguments: args }),
  },
  legacy: {
    client: () => legacyClient(),
    transport: (url, options) => new (npmPackage('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport)(url, options),
    call: (client, name, args) => client.callTool({ name, arguments: args }),
  },
};

// Connects as a user does who logs in when asked to.
async function logIn(t, sdk, url, login) {
  const attempt = SDKS[sdk].client();
  const first = SDKS[sdk].transport(url, { authProvider: login });
  await assert.rejects(attempt.connect(first), (error) => /unauthorized/i.test(`${error.name} ${error.constructor.name} ${error.message}`));
  const answer = await login.agreed();
  await first.finishAuth(answer.get('code'), answer.get('iss') ?? undefined);
  const client = SDKS[sdk].client();
  const transport = SDKS[sdk].transport(url, { authProvider: login });
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport };
}

for (const sdk of Object.keys(SDKS)) {
  for (const [algorithm, format] of [['ES256', 'jwt'], ['RS256', 'jwt'], ['ES256', 'opaque']]) {
    describe(`the official ${sdk} client with ${format} tokens (${algorithm})`, () => {
      it('finds the provider, registers, logs in and calls tools', async (t) => {
        const provider = await IdentityProvider.start(t, { algorithm, format });
        const introspection = { client_id: 'sluice', secret: { env: 'TEST_INTROSPECTION_SECRET' } };
        const { url } = await serve(t, [issuerOf(provider, format === 'opaque' ? { introspection } : {})]);
        const login = new Login();
        const { client } = await logIn(t, sdk, url, login);
        assert.equal(login.registrations, 1);
        assert.equal(login.visits.length, 1);
        const visit = login.visits[0].searchParams;
        assert.equal(visit.get('resource'), url.href);
        assert.equal(visit.get('code_challenge_method'), 'S256');
        assert.equal(visit.get('scope').split(' ').includes('sluice:read'), true);
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === 'create_data_type'), 'a tool that writes is listed');
      });

      it('steps up to the scope for writing', async (t) => {
        // The client of the older era would refresh its token instead, which gives it the same scopes.
        const provider = await IdentityProvider.start(t, { algorithm, format, refreshes: sdk === 'modern' });
        const introspection = { client_id: 'sluice', secret: { env: 'TEST_INTROSPECTION_SECRET' } };
        const { url } = await serve(t, [issuerOf(provider, format === 'opaque' ? { introspection } : {})]);
        const login = new Login();
        const { client, transport } = await logIn(t, sdk, url, login);
        const write = () => SDKS[sdk].call(client, 'create_data_type', { name: 'notes', columns: [{ name: 'text', type: 'string' }] });
        await assert.rejects(write());
        assert.equal(login.visits.length, 2);
        assert.deepEqual(login.visits[1].searchParams.get('scope').split(' ').filter((scope) => scope.startsWith('sluice:')).sort(), ['sluice:read', 'sluice:write']);
        const answer = await login.agreed();
        await transport.finishAuth(answer.get('code'), answer.get('iss') ?? undefined);
        const written = await write();
        assert.doesNotMatch(JSON.stringify(written), /scope/);
      });
    });
  }
}

describe('metadata of the protected resource', () => {
  it('is the same at both places, for everybody and from anywhere', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url, origin } = await serve(t, [issuerOf(provider)], { auth: 'scopes: { prefix: "api://data/" }' });
    const wanted = {
      resource: url.href, authorization_servers: [provider.issuer], scopes_supported: ['api://data/sluice:read'],
      bearer_methods_supported: ['header'], resource_name: 'Sluice',
    };
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
      const response = await fetch(origin + path, { headers: { Origin: 'https://elsewhere.example' } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.equal(response.headers.get('cache-control'), 'max-age=3600');
      assert.deepEqual(await response.json(), wanted);
      const preflight = await fetch(origin + path, { method: 'OPTIONS', headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'mcp-protocol-version' } });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('access-control-allow-headers'), '*');
      assert.equal((await fetch(origin + path, { method: 'POST', body: '' })).status, 405);
    }
  });

  it('is absent without issuers', async (t) => {
    const { origin } = await serve(t, [], { auth: 'denied: []' });
    assert.equal((await fetch(`${origin}/.well-known/oauth-protected-resource`)).status, 404);
  });
});

describe('challenges', () => {
  it('say what is wrong with a token and where to get one', async (t) => {
    const provider = await IdentityProvider.start(t, { lifetime: 600 });
    const { url, origin } = await serve(t, [issuerOf(provider)]);
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const none = await ask(url);
    assert.equal(none.status, 401);
    assert.equal(none.headers.get('www-authenticate'), `Bearer ${metadata}, scope="sluice:read"`);
    assert.equal(none.body.error.data.code, 'unauthenticated');
    const malformed = await ask(url, 'opaque-token');
    assert.equal(malformed.status, 401);
    assert.match(malformed.headers.get('www-authenticate'), /error="invalid_token", error_description="the token is malformed/);
    const foreign = await ask(url, await provider.machineToken('https://other.example/mcp'));
    assert.match(foreign.headers.get('www-authenticate'), /error_description="the token was issued for another audience"/);
    const good = await provider.machineToken(url.href);
    assert.equal((await ask(url, good)).status, 200);
    assert.equal((await ask(url, process.env.TEST_STATIC_TOKEN)).status, 200);
  });

  it('name all scopes that a request needs, with its id', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url, origin } = await serve(t, [issuerOf(provider)]);
    const read = await provider.machineToken(url.href);
    const write = { method: 'tools/call', params: { name: 'create_data_type', arguments: {} } };
    const refused = await ask(url, read, write);
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('www-authenticate'),
      `Bearer error="insufficient_scope", scope="sluice:read sluice:write", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`);
    assert.equal(refused.body.id, 'q');
    assert.equal(refused.body.error.data.code, 'insufficient_scope');
    assert.deepEqual(refused.body.error.data.required_scopes, ['sluice:read', 'sluice:write']);
    assert.equal((await ask(url, await provider.machineToken(url.href, 'sluice:write'), write)).status, 200);
    const without = await ask(url, await provider.machineToken(url.href, 'openid'));
    assert.equal(without.status, 403);
    assert.deepEqual(without.body.error.data.required_scopes, ['sluice:read']);
    assert.equal((await ask(url, process.env.TEST_STATIC_TOKEN, write)).status, 200);
    // The REST interface reads.
    const me = async (token) => fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await me(read)).status, 200);
    const problem = await me(await provider.machineToken(url.href, 'openid'));
    assert.equal(problem.status, 403);
    assert.match(problem.headers.get('www-authenticate'), /error="insufficient_scope", scope="sluice:read"/);
    assert.equal((await problem.json()).code, 'insufficient_scope');
  });

  it('do not help who sends a token twice or in the query', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url } = await serve(t, [issuerOf(provider)]);
    const token = await provider.machineToken(url.href);
    for (const query of [`access_token=${token}`, `a=b&access%5Ftoken=${token}`]) {
      const refused = await ask(new URL(`?${query}`, url), token);
      assert.equal(refused.status, 400);
      assert.doesNotMatch(JSON.stringify(refused.body), new RegExp(token.slice(0, 20)));
    }
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const twice = request(url, { method: 'POST', headers: [['Host', url.host], ['Authorization', `Bearer ${token}`], ['Authorization', `Bearer ${token}`], ['Content-Length', '2']].flat() },
        (response) => resolve(response.statusCode));
      twice.on('error', reject);
      twice.end('{}');
    });
    assert.equal(status, 400);
  });
});

describe('keys of an issuer', () => {
  it('are loaded again once for a key that is new, however many callers have it', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url } = await serve(t, [issuerOf(provider)]);
    const old = await provider.machineToken(url.href);
    assert.equal((await ask(url, old)).status, 200);
    provider.keys = [signingKey('ES256', 'second'), ...provider.keys];
    provider.publish();
    const next = await provider.machineToken(url.href);
    assert.equal(JSON.parse(Buffer.from(next.split('.')[0], 'base64url')).kid, 'second');
    const loads = provider.count('/jwks');
    assert.deepEqual((await Promise.all(Array.from({ length: 20 }, () => ask(url, next)))).map((each) => each.status), Array(20).fill(200));
    assert.equal(provider.count('/jwks'), loads + 1);
    assert.equal((await ask(url, old)).status, 200);
    // Within half a minute no other unknown key causes a load, however many there are.
    for (let i = 0; i < 200; ++i) {
      const [, payload, signature] = next.split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `k${i}`, typ: 'at+jwt' })).toString('base64url');
      assert.equal((await ask(url, `${header}.${payload}.${signature}`)).status, 401);
    }
    assert.equal(provider.count('/jwks'), loads + 1);
  });

  it('go on to be used while the provider is down, and what is unknown is not refused for good', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url } = await serve(t, [issuerOf(provider)]);
    const [token, another] = [await provider.machineToken(url.href), await provider.machineToken(url.href)];
    assert.equal((await ask(url, token)).status, 200);
    await provider.stop();
    assert.equal((await ask(url, token)).status, 200);
    assert.equal((await ask(url, another)).status, 200);
    const [, payload, signature] = token.split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'unknown', typ: 'at+jwt' })).toString('base64url');
    const unknown = await ask(url, `${header}.${payload}.${signature}`);
    assert.equal(unknown.status, 503);
    assert.equal(unknown.body.error.data.code, 'identity_provider_unavailable');
    assert.equal(unknown.headers.get('retry-after'), '5');
    assert.equal(unknown.headers.get('www-authenticate'), null);
  });

  it('are found once a provider starts that was down when the server did', async (t) => {
    const provider = await IdentityProvider.start(t);
    await provider.stop();
    const { url } = await serve(t, [issuerOf(provider)]);
    assert.equal((await ask(url, process.env.TEST_STATIC_TOKEN)).status, 200);
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'first' })).toString('base64url');
    const payload = Buffer.from(JSON.stringify({ iss: provider.issuer })).toString('base64url');
    assert.equal((await ask(url, `${header}.${payload}.AAAA`)).status, 503);
    await provider.restart();
    const token = await provider.machineToken(url.href);
    await until('the keys are loaded', async () => (await ask(url, token)).status === 200);
  });
});

describe('opaque tokens', () => {
  const introspection = { client_id: 'sluice', secret: { env: 'TEST_INTROSPECTION_SECRET' }, cache: '1s' };

  it('are asked about once while the answer is fresh, and a revoked one is refused afterwards', async (t) => {
    const provider = await IdentityProvider.start(t, { format: 'opaque' });
    const { url } = await serve(t, [issuerOf(provider, { introspection: { ...introspection, cache: '2s' } })]);
    const token = await provider.machineToken(url.href);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url, token)));
    assert.deepEqual(answers.map((each) => each.status), Array(20).fill(200));
    assert.equal(provider.count('/token/introspection'), 1);
    await provider.revoke(token);
    await until('the revocation is seen', async () => (await ask(url, token)).status === 401);
    const asked = provider.count('/token/introspection');
    for (let i = 0; i < 5; ++i) assert.equal((await ask(url, token)).status, 401);
    assert.equal(provider.count('/token/introspection'), asked);
  });

  it('get 503 while the provider is down', async (t) => {
    const provider = await IdentityProvider.start(t, { format: 'opaque' });
    const { url } = await serve(t, [issuerOf(provider, { introspection: { ...introspection, cache: '0s' } })]);
    const token = await provider.machineToken(url.href);
    assert.equal((await ask(url, token)).status, 200);
    await provider.stop();
    const refused = await ask(url, token);
    assert.equal(refused.status, 503);
    assert.equal(refused.body.error.data.code, 'identity_provider_unavailable');
    assert.equal((await ask(url, process.env.TEST_STATIC_TOKEN)).status, 200);
  });

  it('are for the audience that the answer names', async (t) => {
    const provider = await IdentityProvider.start(t, { format: 'opaque' });
    const { url } = await serve(t, [issuerOf(provider, { introspection })]);
    const refused = await ask(url, await provider.machineToken('https://other.example/mcp'));
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate'), /another audience/);
  });
});

describe('a token that ends', () => {
  it('is refused, refreshed by the client, and ends the streams that it opened', async (t) => {
    const provider = await IdentityProvider.start(t, { lifetime: 2 });
    const { url } = await serve(t, [issuerOf(provider)], { auth: 'scopes: {}\n  clock_skew: 0s' });
    const login = new Login();
    const { client } = await logIn(t, 'modern', url, login);
    const first = login.saved.access_token;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen', Authorization: `Bearer ${await provider.machineToken(url.href)}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: MODERN_META } }),
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"id":1/);  // Ends by itself, with the final message.
    await until('the token has expired', async () => (await ask(url, first)).status === 401);
    assert.ok((await client.listTools()).tools.length > 0);
    assert.notEqual(login.saved.access_token, first);
    assert.equal(login.visits.length, 1);
  });
});

describe('a changed configuration', () => {
  it('takes effect with the next request, and a broken one changes nothing', async (t) => {
    const provider = await IdentityProvider.start(t);
    const { url, file, running } = await serve(t, [issuerOf(provider)]);
    const token = await provider.machineToken(url.href);
    assert.equal((await ask(url, token)).status, 200);
    const good = readFileSync(file, 'utf8');
    const subject = JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).sub;
    writeFileSync(file, good.replace('scopes: {}', `denied: [ "corp:${subject}" ]`));
    await until('the caller is turned away', async () => (await ask(url, token)).status === 403);
    assert.equal((await ask(url, token)).body.error.data.code, 'access_denied');
    writeFileSync(file, good.replace('scopes: {}', 'clock_skews: 1s'));
    await until('the new file is refused', () => running.log.some((line) => line.includes('config.rejected') && line.includes('did you mean clock_skew?')));
    assert.equal((await ask(url, token)).status, 403);
    const loads = provider.count('/jwks');
    writeFileSync(file, good);
    await until('the caller is let in again', async () => (await ask(url, token)).status === 200);
    assert.equal(provider.count('/jwks'), loads);
  });

  it('takes a static token from a file, and follows its rotation', async (t) => {
    const place = folder(t);
    const secret = join(place, 'etl');
    writeFileSync(secret, 'first-0123456789abcdef\n', { mode: 0o600 });
    writeFileSync(join(place, 'sales.csv'), 'a\n1\n');
    const file = join(place, 'sluice.yaml');
    writeFileSync(file, 'server: { http: "127.0.0.1:0", tokens: [ { name: etl, file: etl } ] }\nfiles: [ { path: "." } ]\n');
    const running = await ServerProcess.listening(SLUICE, ['serve', file]);
    t.after(() => running.stop());
    assert.equal((await ask(running.url, 'first-0123456789abcdef')).status, 200);
    writeFileSync(secret, 'second-0123456789abcdef\n');
    await until('the new token is accepted', async () => (await ask(running.url, 'second-0123456789abcdef')).status === 200);
    assert.equal((await ask(running.url, 'first-0123456789abcdef')).status, 401);
    writeFileSync(secret, 'short');
    await until('the short token is refused', () => running.log.some((line) => line.includes('config.rejected')));
    assert.equal((await ask(running.url, 'second-0123456789abcdef')).status, 200);
  });
});
