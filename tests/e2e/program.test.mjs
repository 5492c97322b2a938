// The program `sluice` as its users run it: commands, configuration, tokens, HTTPS.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

import { ServerProcess, binary } from './server_process.mjs';

const SLUICE = binary('SLUICE');
const folder = mkdtempSync(join(tmpdir(), 'sluice-program-'));
after(() => rmSync(folder, { recursive: true }));

process.env.TEST_TOKEN_ALICE = 'alice-0123456789abcdef';
process.env.TEST_TOKEN_BOB = 'bob-0123456789abcdefgh';

const TOKENS = 'tokens: [ { name: alice, env: TEST_TOKEN_ALICE }, { name: bob, env: TEST_TOKEN_BOB } ]';

function run(...args) {
  const { status, stdout, stderr } = spawnSync(SLUICE, args, { encoding: 'utf8', input: '', timeout: 10_000 });
  return { status, stdout, stderr };
}

function config(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function discover(url, headers = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: META } }),
  });
}

function initialize(url, token) {
  return fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
}

describe('the command line', () => {
  it('prints its version and its help', () => {
    assert.match(run('version').stdout, /^sluice \d+\.\d+\.\d+\n$/);
    assert.match(run('help').stdout, /serve[\s\S]*check/);
  });

  it('ends with 2 where it is used wrongly', () => {
    for (const args of [[], ['nonsense'], ['serve', '--nonsense']]) assert.equal(run(...args).status, 2, args.join(' '));
  });

  it('says what is wrong in one sentence, and with which line', () => {
    const unknown = run('serve', config('unknown.yaml', 'server:\n  htpp: 1\n'));
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /unknown\.yaml:2: server\.htpp: unknown key; did you mean http\?/);
    assert.match(run('serve', join(folder, 'missing.yaml')).stderr, /missing\.yaml: No such file/);
    assert.match(run('serve', '--http', 'nowhere').stderr, /not an address: nowhere/);
    assert.match(run('serve', join(folder, 'missing')).stderr, /missing: No such file/);
    assert.match(run('serve', process.execPath).stderr, /no kind of source/);
  });

  it('checks a configuration', () => {
    const good = run('check', config('good.yaml', `server: { http: "0.0.0.0:1", ${TOKENS} }`));
    assert.equal(good.status, 0, good.stdout);
    const open = run('check', config('open.yaml', 'server: { http: "0.0.0.0:1" }'));
    assert.equal(open.status, 1);
    assert.match(open.stdout, /FAILED server: listening on 0\.0\.0\.0 needs server\.tokens/);
  });

  it('does not listen beyond loopback without tokens', () => {
    const refused = run('serve', '--http', '0.0.0.0:0');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /listening on 0\.0\.0\.0 needs a bearer token/);
  });
});

describe('bearer tokens', () => {
  it('are required once there are any, and give the caller a name of its own', async () => {
    const server = await ServerProcess.listening(SLUICE, ['serve', config('tokens.yaml', `server: { http: "127.0.0.1:0", ${TOKENS} }`)]);
    try {
      const refused = await discover(server.url);
      assert.equal(refused.status, 401);
      assert.match(refused.headers.get('www-authenticate'), /^Bearer/);
      assert.equal((await discover(server.url, { Authorization: 'Bearer wrong-0123456789abcdef' })).status, 401);
      assert.equal((await discover(server.url, { Authorization: `Bearer ${process.env.TEST_TOKEN_ALICE}` })).status, 200);
      const session = (await initialize(server.url, process.env.TEST_TOKEN_ALICE)).headers.get('mcp-session-id');
      const ping = (token) => fetch(server.url, {
        method: 'POST',
        headers: { ...HEADERS, Authorization: `Bearer ${token}`, 'Mcp-Session-Id': session },
        body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }),
      });
      assert.equal((await ping(process.env.TEST_TOKEN_ALICE)).status, 200);
      assert.equal((await ping(process.env.TEST_TOKEN_BOB)).status, 404, 'a session belongs to one principal');
      assert.equal((await fetch(new URL('/healthz', server.url))).status, 200);
    } finally {
      await server.stop();
    }
  });
});

describe('HTTPS', () => {
  it('is served from certificate files', async () => {
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', certificate,
      '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], { stdio: 'ignore' });
    const server = await ServerProcess.listening(SLUICE, ['serve',
      config('tls.yaml', `server: { http: "127.0.0.1:0", tls: { certificate: ${certificate}, key: ${key} } }`)]);
    try {
      assert.equal(server.url.protocol, 'https:');
      const status = await new Promise((resolve, reject) => {
        const get = request(new URL('/healthz', server.url), { ca: readFileSync(certificate), agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        get.on('error', reject);
        get.end();
      });
      assert.equal(status, 200);
    } finally {
      await server.stop();
    }
  });

  it('needs files that fit', () => {
    const broken = run('serve', config('broken.yaml', 'server: { http: "127.0.0.1:0", tls: { certificate: /dev/null, key: /dev/null } }'));
    assert.equal(broken.status, 1);
    assert.match(broken.stderr, /certificate|key/);
  });
});
