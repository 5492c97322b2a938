// Our client against servers of the official packages, through the program's own commands: `sluice call` makes one
// request, `sluice connect` is a server on stdio in front of another.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { npmFile, npmPackage } from './npm_package.mjs';
import { binary, ServerProcess } from './server_process.mjs';
import { within } from './waiting.mjs';

const NODE = process.execPath;
const SERVERS = fileURLToPath(new URL('npm_servers.mjs', import.meta.url));
const EVERYTHING = npmFile('@modelcontextprotocol/server-everything/dist/index.js');

function run(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 90_000 }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

async function call(...args) {
  const { code, stdout, stderr } = await run(binary('SLUICE'), ['call', ...args]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

// The URL of a server of npm_servers.mjs; it ends with the test.
async function httpServer(t, era) {
  const child = spawn(NODE, [SERVERS, era, 'http'], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stderr });
  return within(90_000, 'the URL of the server', new Promise((resolve) => lines.once('line', resolve)));
}

for (const era of ['modern', 'legacy']) {
  describe(`sluice call, a ${era} server of npm`, () => {
    test('over stdio', async () => {
      const words = ['--', NODE, SERVERS, era, 'stdio'];
      const { tools } = await call('tools/list', ...words);
      assert.ok(tools.some(({ name }) => name === 'echo'));
      const { content } = await call('tools/call', '{"name":"echo","arguments":{"text":"hé"}}', ...words);
      assert.equal(content[0].text, 'hé');
      const { contents } = await call('resources/read', '{"uri":"note://one"}', ...words);
      assert.equal(contents[0].text, 'a note');
    });

    test('over HTTP', async (t) => {
      const url = await httpServer(t, era);
      const { content } = await call(url, 'tools/call', '{"name":"echo","arguments":{"text":"hé"}}');
      assert.equal(content[0].text, 'hé');
      const { contents } = await call(url, 'resources/read', '{"uri":"note://one"}');
      assert.equal(contents[0].text, 'a note');
    });
  });
}

describe('sluice call', () => {
  test('uses the reference server that has everything', async () => {
    const { tools } = await call('tools/list', '--', NODE, EVERYTHING, 'stdio');
    assert.ok(tools.length > 5);
    const { content } = await call('tools/call', '{"name":"echo","arguments":{"message":"hi"}}', '--', NODE, EVERYTHING);
    assert.match(content[0].text, /hi/);
    const { resources } = await call('resources/list', '--', NODE, EVERYTHING);
    assert.ok(resources.length > 0);
  });

  test('uses the reference server that has everything, over HTTP', async (t) => {
    // The port is asked of the system first: the server takes none of its own choice.
    const probe = createServer().listen(0, '127.0.0.1');
    const { port } = await new Promise((resolve) => probe.once('listening', () => resolve(probe.address())));
    await new Promise((resolve) => probe.close(resolve));
    const child = spawn(NODE, [EVERYTHING, 'streamableHttp'],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PORT: String(port) } });
    t.after(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stderr });
    await within(90_000, 'the server to listen', new Promise((resolve) => lines.on('line', (line) => /port \d+/.test(line) && resolve())));
    const url = `http://127.0.0.1:${port}/mcp`;
    const { tools } = await call(url, 'tools/list');
    assert.ok(tools.length > 5);
    const { content } = await call(url, 'tools/call', '{"name":"echo","arguments":{"message":"hi"}}');
    assert.match(content[0].text, /hi/);
    const { resources } = await call(url, 'resources/list');
    const { contents } = await call(url, 'resources/read', JSON.stringify({ uri: resources[0].uri }));
    assert.equal(contents[0].uri, resources[0].uri);
  });

  test('serves a folder for the occasion', async () => {
    const { tools } = await call(fileURLToPath(new URL('../../examples/budget', import.meta.url)), 'tools/list');
    assert.ok(tools.length > 0);
  });

  test('says what is wrong, and how it was used', async () => {
    const unknown = await run(binary('SLUICE'), ['call', 'no/such', '--', binary('HELLO_SERVER')]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /-32601/);
    const missing = await run(binary('SLUICE'), ['call', 'tools/list', '--', '/no/such/program']);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /no such program/);
    const wrong = await run(binary('SLUICE'), ['call', 'tools/list', '{"a":', '--', binary('HELLO_SERVER')]);
    assert.equal(wrong.code, 2);
    assert.equal((await run(binary('SLUICE'), ['call'])).code, 2);
  });
});

describe('the hello client', () => {
  test('greets over stdio and HTTP', async (t) => {
    const server = await ServerProcess.http(binary('HELLO_SERVER'));
    t.after(() => server.stop());
    for (const args of [[binary('HELLO_SERVER')], [server.url.href]]) {
      const { code, stdout, stderr } = await run(binary('HELLO_CLIENT'), args);
      assert.equal(code, 0, stderr);
      assert.equal(stdout, 'hello, revision 2026-07-28\ntool greet\nHello, you!\n');
    }
  });
});

// A client of each era in front, a server of each era behind.
async function legacyFront(t, args) {
  const { Client } = npmPackage('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = npmPackage('@modelcontextprotocol/sdk/client/stdio.js');
  const { ElicitRequestSchema } = npmPackage('@modelcontextprotocol/sdk/types.js');
  const client = new Client({ name: 'front', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new StdioClientTransport({ command: binary('SLUICE'), args, stderr: 'ignore' }));
  t.after(() => client.close());
  return client;
}

async function modernFront(t, args) {
  const { Client } = npmPackage('@modelcontextprotocol/client');
  const { StdioClientTransport } = npmPackage('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'front', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new StdioClientTransport({ command: binary('SLUICE'), args, stderr: 'ignore' }));
  t.after(() => client.close());
  return client;
}

for (const [front, connect] of [['legacy', legacyFront], ['modern', modernFront]]) {
  for (const era of ['modern', 'legacy']) {
    describe(`sluice connect, a ${front} client in front of a ${era} server`, () => {
      test('passes tools and resources through', async (t) => {
        const client = await connect(t, ['connect', await httpServer(t, era)]);
        assert.equal(client.getServerVersion().name, 'npm');
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === 'echo'));
        const { content } = await client.callTool({ name: 'echo', arguments: { text: 'through' } });
        assert.equal(content[0].text, 'through');
        const { contents } = await client.readResource({ uri: 'note://one' });
        assert.equal(contents[0].text, 'a note');
        await assert.rejects(client.readResource({ uri: 'note://none' }));
      });

      if (era === 'legacy') {
        test('passes questions through', async (t) => {
          const client = await connect(t, ['connect', await httpServer(t, era)]);
          const { content } = await client.callTool({ name: 'ask', arguments: {} });
          assert.equal(content[0].text, 'accept Ada');
        });
      }
    });
  }
}
