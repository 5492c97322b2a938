// Servers that want to know who is calling: `sluice call`, `connect` and `login` in front of them, and `sluice serve`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, modernClient } from './connection.mjs';
import { AuthorizationServer, ProtectedServer } from './oauth_servers.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until as untilWithin, within } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const WAIT_MS = 60_000;
const until = (what, condition) => untilWithin(what, condition, WAIT_MS);
const TOKEN = /(access|refresh)-token-[0-9a-f]+|machine-secret|code-[0-9a-f]{24}/;

function folderOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-oauth-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Both servers, and a state folder of the test's own.
async function world(t, { lifetime, revokes, ...options } = {}) {
  const folder = folderOf(t);
  const issuer = await AuthorizationServer.start(t, { lifetime, revokes });
  const server = await ProtectedServer.start(t, issuer, options);
  const environment = { ...process.env, XDG_STATE_HOME: folder, MACHINE_SECRET: 'machine-secret' };
  return { folder, issuer, server, environment, tokens: join(folder, 'sluice/tokens.json') };
}

// A run of the program. Whoever sits in front of it opens the pages that it names.
async function run({ environment }, args) {
  const child = spawn(SLUICE, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  const pages = [];
  child.stdout.on('data', (piece) => (stdout += piece));
  child.stderr.on('data', (piece) => {
    stderr += piece;
    for (const [, page] of stderr.matchAll(/^(http\S+)\n/gm)) {
      if (pages.includes(page)) continue;
      pages.push(page);
      fetch(page).then((answer) => answer.text(), () => {});
    }
  });
  const code = await within(WAIT_MS, `sluice ${args[0]} to end`, new Promise((resolve) => child.once('close', resolve)));
  assert.doesNotMatch(stdout + stderr, TOKEN, 'no token is shown');
  return { code, stdout, stderr, pages };
}

const whoami = ['tools/call', '{"name":"whoami","arguments":{}}'];
const machine = (issuer) => ['--client-id', 'machine', '--client-secret-env', 'MACHINE_SECRET', '--issuer', issuer,
  '--grant', 'client_credentials', '--allow-private'];

function configOf({ folder }, upstreams) {
  const path = join(folder, 'sluice.yaml');
  writeFileSync(path, JSON.stringify({ upstreams }));
  return path;
}

// `sluice serve` of a configuration, and a client of it. The log of it must hold no token.
async function serve(t, there, upstreams) {
  const path = configOf(there, upstreams);
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = there.folder;
  const secret = process.env.MACHINE_SECRET;
  process.env.MACHINE_SECRET = 'machine-secret';
  const server = await ServerProcess.listening(SLUICE, ['serve', path, '--http', '127.0.0.1:0']);
  if (before === undefined) delete process.env.XDG_STATE_HOME; else process.env.XDG_STATE_HOME = before;
  if (secret === undefined) delete process.env.MACHINE_SECRET; else process.env.MACHINE_SECRET = secret;
  t.after(async () => {
    const end = await server.stop();
    assert.equal(end.code, 0, server.log.join('\n'));
    assert.doesNotMatch(server.log.join('\n'), TOKEN, 'no token is logged');
  });
  const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
  return { client, server, path };
}

const textOf = (result) => result.content.find(({ type }) => type === 'text')?.text;
const call = (client, name) => client.callTool({ name, arguments: {} });
const sourceOf = async (client, name) =>
  (await call(client, 'diagnose')).structuredContent.sources.find((source) => source.name === name);

describe('sluice call', () => {
  it('acts for itself with client credentials, and keeps the token', async (t) => {
    const there = await world(t);
    const first = await run(there, ['call', there.server.url, ...whoami, ...machine(there.issuer.issuer)]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /somebody who may/);
    assert.deepEqual(first.pages, []);
    assert.equal((await run(there, ['call', there.server.url, ...whoami, ...machine(there.issuer.issuer)])).code, 0);
    assert.equal(there.issuer.asked('client_credentials').length, 1, 'the second call has the token of the first');
    assert.equal(statSync(there.tokens).mode & 0o777, 0o600);
    assert.equal(statSync(join(there.folder, 'sluice')).mode & 0o777, 0o700);
    assert.doesNotMatch(readFileSync(there.tokens, 'utf8'), /machine-secret/, 'secrets are not stored');
  });

  it('lets a person agree, and needs none afterwards', async (t) => {
    const there = await world(t);
    const first = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /somebody who may/);
    assert.equal(first.pages.length, 1);
    assert.match(first.pages[0], /code_challenge_method=S256/);
    const second = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.deepEqual([second.code, second.pages], [0, []], second.stderr);
    there.issuer.revoke();
    const third = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.deepEqual([third.code, third.pages], [0, []], third.stderr);
    assert.equal(there.issuer.asked('refresh_token').length, 1);
    assert.equal(there.issuer.asked('authorization_code').length, 1);
  });

  it('renews a token that has ended before it is refused', async (t) => {
    const there = await world(t, { lifetime: 1 });  // Within the time in which tokens are renewed.
    assert.equal((await run(there, ['call', there.server.url, ...whoami, '--allow-private'])).code, 0);
    there.server.seen.length = 0;
    const again = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.deepEqual([again.code, again.pages], [0, []], again.stderr);
    assert.ok(there.issuer.asked('refresh_token').length >= 1);
    assert.ok(there.server.seen.every((header) => header.startsWith('Bearer ')), 'no request went without');
  });

  it('renews a token once where several processes find it ended', async (t) => {
    const there = await world(t, { lifetime: 1 });
    assert.equal((await run(there, ['call', there.server.url, ...whoami, '--allow-private'])).code, 0);
    const before = there.issuer.asked('refresh_token').length;
    there.issuer.lifetime = 3600;
    there.server.described = 0;
    const PROCESSES = 4;
    // The first answer waits until every process is about to renew.
    there.issuer.beforeToken = () => until('all of them are there', () => there.server.described >= PROCESSES);
    const done = await Promise.all(Array.from({ length: PROCESSES }, () =>
      run(there, ['call', there.server.url, ...whoami, '--allow-private'])));
    for (const { code, pages, stdout, stderr } of done) {
      assert.deepEqual([code, pages], [0, []], stderr);
      assert.match(stdout, /somebody who may/);
    }
    assert.equal(there.issuer.asked('refresh_token').length - before, 1, 'the others have what the first one got');
  });

  it('asks again where a call needs more than was agreed to', async (t) => {
    const there = await world(t, { needs: 'act' });
    const done = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.equal(done.code, 0, done.stderr);
    assert.equal(done.pages.length, 2);
    assert.match(done.pages[1], /scope=act/);
  });

  it('oauth_abuse: shows its secret to the configured issuer only', async (t) => {
    const there = await world(t);
    const other = await AuthorizationServer.start(t);
    there.server.issuers = [other.issuer];
    const refused = await run(there, ['call', there.server.url, ...whoami, ...machine(there.issuer.issuer)]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /another authorization server/);
    assert.deepEqual([...other.requests, ...there.issuer.requests], []);
    const pinned = await run(there, ['call', there.server.url, ...whoami, '--issuer', there.issuer.issuer, '--allow-private']);
    assert.equal(pinned.code, 1);
    assert.match(pinned.stderr, /another authorization server/);
    assert.deepEqual([pinned.pages, other.requests], [[], []]);
  });

  it('ssrf, oauth_abuse: sends a token to no other host, and asks none on this machine unless it may', async (t) => {
    const there = await world(t);
    const elsewhere = await ProtectedServer.start(t, there.issuer);
    assert.equal((await run(there, ['call', there.server.url, ...whoami, '--allow-private'])).code, 0);
    const other = await run(there, ['call', elsewhere.url, ...whoami, '--allow-private', '--grant', 'client_credentials']);
    assert.equal(other.code, 2, 'client credentials need a client');
    const refused = await run(there, ['call', elsewhere.url, ...whoami]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /not public/);
    assert.ok(elsewhere.seen.length > 0);
    assert.ok(elsewhere.seen.every((header) => header === ''), 'what was obtained for one is not shown to another');
  });

  it('oauth_abuse: refuses a file of tokens that others may read', async (t) => {
    const there = await world(t);
    assert.equal((await run(there, ['call', there.server.url, ...whoami, '--allow-private'])).code, 0);
    chmodSync(there.tokens, 0o644);
    const refused = await run(there, ['call', there.server.url, ...whoami, '--allow-private']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /others may read the file/);
  });

  it('leaves nothing behind where nobody wants to know', async (t) => {
    const there = await world(t);
    const open = await ProtectedServer.start(t, { issuer: there.issuer.issuer, tokens: new Map([['', '']]) });
    const done = await run(there, ['call', open.url, ...whoami]);
    assert.equal(done.code, 0, done.stderr);
    assert.ok(!existsSync(join(there.folder, 'sluice')));
  });

  it('says what does not fit together', async (t) => {
    const there = await world(t);
    for (const [args, reason] of [
      [['--client-secret-env', 'MACHINE_SECRET'], /--client-id/],
      [['--client-id', 'a', '--client-secret-env', 'MACHINE_SECRET'], /--issuer/],
      [['--client-id', 'a', '--client-secret-env', 'NOT_SET_AT_ALL'], /NOT_SET_AT_ALL is not set/],
      [['--grant', 'implicit'], /--grant/],
      [['--scope', 'a b'], /--scope/],
    ]) {
      const { code, stderr } = await run(there, ['call', there.server.url, 'tools/list', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, reason);
    }
    assert.deepEqual(there.server.seen, []);
  });
});

// A port that was free a moment ago, and whoever takes it again.
async function portOf(t) {
  const listener = createServer();
  const listen = (port) => new Promise((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const release = () => new Promise((resolve) => listener.close(resolve));
  await listen(0);
  const { port } = listener.address();
  await release();
  t.after(() => listener.listening && release());
  return { port, take: () => listen(port) };
}

describe('sluice login', () => {
  it('waits for the browser on the port that a client was registered with', async (t) => {
    const there = await world(t);
    const { port, take } = await portOf(t);
    const redirect = `http://127.0.0.1:${port}/callback`;
    const upstreams = { kept: { url: there.server.url, authorization: { client_id: 'by-hand', redirect_port: port, allow_private: true } } };
    const path = configOf(there, upstreams);
    const configured = await run(there, ['login', path, 'kept']);
    assert.equal(configured.code, 0, configured.stderr);
    const named = await run(there, ['login', there.server.url, '--redirect-port', String(port), '--allow-private']);
    assert.equal(named.code, 0, named.stderr);
    for (const { pages: [page] } of [configured, named]) assert.equal(new URL(page).searchParams.get('redirect_uri'), redirect);
    assert.deepEqual(there.issuer.asked('authorization_code').map(({ fields }) => fields.redirect_uri), [redirect, redirect]);

    // Another port would be refused by a server that knows this one only.
    await take();
    const taken = await run(there, ['login', there.server.url, '--account', 'other', '--redirect-port', String(port), '--allow-private']);
    assert.deepEqual([taken.code, taken.pages], [1, []]);
    assert.match(taken.stderr, new RegExp(`port ${port} of 127\\.0\\.0\\.1 cannot be opened`));
    assert.equal((await run(there, ['login', there.server.url, '--redirect-port', '65536'])).code, 2);
  });
});

describe('sluice logout', () => {
  const stored = (there) => JSON.parse(readFileSync(there.tokens, 'utf8')).grants;

  it('removes the tokens of a URL, and revokes them', async (t) => {
    const there = await world(t, { revokes: true });
    const enter = (...more) => run(there, ['login', there.server.url, '--allow-private', ...more]);
    assert.equal((await enter()).code, 0);
    assert.equal((await enter('--account', 'work')).code, 0);
    assert.equal(stored(there).length, 2);
    const left = await run(there, ['logout', there.server.url, '--allow-private']);
    assert.equal(left.code, 0, left.stderr);
    assert.equal(left.stdout, `removed: tokens for ${there.server.url} of ${there.issuer.issuer}; revoked there\n` +
      'left: 1 more for the same URL, of other accounts, clients or issuers; --all removes them\n');
    assert.deepEqual(stored(there).map(({ resource }) => resource), [`${there.server.url}#work`]);
    assert.equal(there.issuer.tokens.size, 1, 'the server has forgotten the token of this one, and of no other');
    assert.equal(there.issuer.refresh.size, 1);

    const again = await run(there, ['logout', there.server.url]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, new RegExp(`^nothing is stored for ${there.server.url}\\n`));
    const all = await run(there, ['logout', there.server.url, '--all', '--allow-private']);
    assert.equal(all.stdout, `removed: tokens for ${there.server.url} (work) of ${there.issuer.issuer}; revoked there\n`);
    assert.deepEqual(stored(there), []);
    assert.equal(there.issuer.tokens.size, 0);
    assert.equal((await run(there, ['call', there.server.url, ...whoami, '--allow-private'])).pages.length, 1, 'a person has to agree again');
  });

  it('removes what it cannot revoke, and says so', async (t) => {
    const there = await world(t);
    assert.equal((await run(there, ['login', there.server.url, '--allow-private'])).code, 0);
    const other = await world(t, { revokes: true });
    other.environment.XDG_STATE_HOME = there.folder;
    assert.equal((await run(other, ['login', other.server.url, '--allow-private'])).code, 0);
    const unsupported = await run(there, ['logout', there.server.url, '--allow-private']);
    assert.equal(unsupported.code, 0, unsupported.stderr);
    assert.match(unsupported.stdout, /; not revoked there: the authorization server offers no way/);
    const refused = await run(there, ['logout', '--issuer', other.issuer.issuer]);
    assert.equal(refused.code, 0, refused.stderr);
    assert.match(refused.stdout, /; not revoked there: .*not public.*--allow-private/);
    assert.deepEqual(stored(there), []);
    assert.equal(other.issuer.tokens.size, 1);
  });

  it('removes all of an issuer, or everything, and nothing unless it is said what', async (t) => {
    const there = await world(t, { revokes: true });
    const second = await ProtectedServer.start(t, there.issuer);
    const other = await world(t);
    other.environment.XDG_STATE_HOME = there.folder;
    for (const [at, url] of [[there, there.server.url], [there, second.url], [other, other.server.url]])
      assert.equal((await run(at, ['login', url, '--allow-private'])).code, 0);
    for (const args of [[], [there.server.url, 'kept'], ['sluice.yaml']]) {
      const unclear = await run(there, ['logout', ...args]);
      assert.equal(unclear.code, 2, args.join(' '));
    }
    assert.equal(stored(there).length, 3);
    const issued = await run(there, ['logout', '--issuer', there.issuer.issuer, '--allow-private']);
    assert.equal(issued.stdout.match(/^removed: .*; revoked there$/gm)?.length, 2, issued.stdout);
    assert.deepEqual(stored(there).map(({ issuer }) => issuer), [other.issuer.issuer]);
    assert.match((await run(there, ['logout', '--all', '--allow-private'])).stdout, /^removed: /);
    assert.deepEqual(stored(there), []);
    assert.equal(statSync(there.tokens).mode & 0o777, 0o600);
  });

  it('leaves nothing behind where nothing was stored', async (t) => {
    const there = await world(t);
    const done = await run(there, ['logout', there.server.url]);
    assert.deepEqual([done.code, done.stdout], [0, `nothing is stored for ${there.server.url}\n`]);
    assert.ok(!existsSync(join(there.folder, 'sluice')));
  });

  it('is heard by a running server', async (t) => {
    const there = await world(t, { revokes: true });
    const upstreams = { kept: { url: there.server.url, authorization: { allow_private: true } } };
    const { client, path } = await serve(t, there, upstreams);
    assert.equal((await run(there, ['login', path, 'kept'])).code, 0);
    await until('it is there', async () => (await sourceOf(client, 'kept')).state === 'ready');
    assert.equal(textOf(await call(client, 'kept.whoami')), 'somebody who may');
    const left = await run(there, ['logout', path, 'kept']);
    assert.equal(left.code, 0, left.stderr);
    assert.match(left.stdout, /^removed: .*; revoked there\n$/);
    await until('a person is needed again', async () =>
      /sluice login sluice\.yaml kept/.test(textOf(await call(client, 'kept.whoami'))));
    assert.deepEqual(stored(there), []);
    assert.deepEqual(there.issuer.asked('refresh_token'), [], 'what was revoked is not tried');
  });
});

describe('sluice connect', () => {
  it('lets a person agree before it offers what is behind', async (t) => {
    const there = await world(t);
    const { Client } = npmPackage('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = npmPackage('@modelcontextprotocol/sdk/client/stdio.js');
    const link = new StdioClientTransport({ command: SLUICE, args: ['connect', there.server.url, '--allow-private'],
      env: there.environment, stderr: 'pipe' });
    let said = '';
    link.stderr.on('data', (piece) => {
      said += piece;
      const page = /^(http\S+)\n/m.exec(said)?.[1];
      if (page) fetch(page).then((answer) => answer.text(), () => {});
    });
    const client = new Client({ name: 'front', version: '1' });
    t.after(() => client.close());
    await client.connect(link, { timeout: WAIT_MS });
    assert.equal(textOf(await client.callTool({ name: 'whoami', arguments: {} })), 'somebody who may');
    assert.ok(existsSync(there.tokens));
    assert.doesNotMatch(said, TOKEN);
  });
});

describe('sluice serve, before a server that wants to know who is calling', () => {
  it('acts for itself with client credentials', async (t) => {
    const there = await world(t);
    const authorization = { grant: 'client_credentials', issuer: there.issuer.issuer, client_id: 'machine',
      client_secret: { env: 'MACHINE_SECRET' }, scopes: ['read'], allow_private: true };
    const { client } = await serve(t, there, { kept: { url: there.server.url, authorization } });
    assert.equal(textOf(await call(client, 'kept.whoami')), 'somebody who may');
    assert.equal(there.issuer.asked('client_credentials')[0].fields.scope, 'read');
    assert.match((await client.readResource({ uri: 'kept+note://one' })).contents[0].text, /protected note/);
  });

  it('says which command lets a person agree, and goes on by itself once they have', async (t) => {
    const there = await world(t);
    const { client, path } = await serve(t, there, { kept: { url: there.server.url, authorization: { allow_private: true } } });
    const down = textOf(await call(client, 'kept.resources_list'));
    assert.equal(JSON.parse(down).code, 'upstream_down');
    assert.match(down, /run: sluice login sluice\.yaml kept/);
    assert.ok(!down.includes(there.folder), 'no path is shown to callers');
    // However often it is tried meanwhile, it says the same.
    for (let i = 0; i < 3; ++i)
      await until('it says so', async () => /sluice login sluice\.yaml kept/.test((await sourceOf(client, 'kept')).error));
    const checked = await run(there, ['check', path]);
    assert.equal(checked.code, 1);
    assert.ok(checked.stdout.includes(`run: sluice login ${path} kept`), checked.stdout);
    const entered = await run(there, ['login', path, 'kept']);
    assert.equal(entered.code, 0, entered.stderr);
    assert.match(entered.stdout, /authorized: kept/);
    assert.equal(entered.pages.length, 1);
    await until('it is there', async () => (await sourceOf(client, 'kept')).state === 'ready');
    assert.equal(textOf(await call(client, 'kept.whoami')), 'somebody who may');
    assert.match((await run(there, ['check', path])).stdout, /upstream kept: 2026-07-28, 1 tools/);

    // Refreshed by itself where that is enough, and by the person where it is not.
    there.issuer.revoke();
    assert.equal(textOf(await call(client, 'kept.whoami')), 'somebody who may');
    assert.ok(there.issuer.asked('refresh_token').length >= 1);
    there.issuer.revoke();
    there.issuer.refresh.clear();
    await until('a person is needed again', async () =>
      /sluice login sluice\.yaml kept/.test(textOf(await call(client, 'kept.whoami'))));
    assert.equal((await run(there, ['login', path, 'kept'])).code, 0);
    await until('it is there again', async () => textOf(await call(client, 'kept.whoami')) === 'somebody who may');
  });

  it('names the scope that is missing', async (t) => {
    const there = await world(t, { needs: 'act' });
    const upstreams = { kept: { url: there.server.url, authorization: { allow_private: true } } };
    const { client, path } = await serve(t, there, upstreams);
    assert.equal((await run(there, ['login', path, 'kept'])).code, 0);
    await until('it is there', async () => (await sourceOf(client, 'kept')).state === 'ready');
    assert.match(textOf(await call(client, 'kept.whoami')), /run: sluice login sluice\.yaml kept --scope act/);
    assert.equal((await run(there, ['login', path, 'kept', '--scope', 'act'])).code, 0);
    assert.equal(textOf(await call(client, 'kept.whoami')), 'somebody who may');
  });

  it('oauth_abuse: refuses another issuer than the configured one, and keeps clients of one URL apart', async (t) => {
    const there = await world(t);
    const other = await AuthorizationServer.start(t);
    const authorization = { grant: 'client_credentials', issuer: other.issuer, client_id: 'machine',
      client_secret: { env: 'MACHINE_SECRET' }, allow_private: true };
    const { client } = await serve(t, there, {
      wrong: { url: there.server.url, authorization },
      right: { url: there.server.url, authorization: { ...authorization, issuer: there.issuer.issuer } },
      person: { url: there.server.url, authorization: { allow_private: true } },
    });
    assert.equal(textOf(await call(client, 'right.whoami')), 'somebody who may');
    assert.match((await sourceOf(client, 'wrong')).error, /another authorization server/);
    assert.match((await sourceOf(client, 'person')).error, /sluice login/, 'the token of the machine is not a person\'s');
    assert.deepEqual(other.requests, []);
  });
});
