// Clients that go away without a word.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { connectModern, startHttp } from './connection.mjs';
import { RawHttp, RawPipe, modernRequest } from './raw_client.mjs';
import { binary } from './server_process.mjs';
import { until, within } from './waiting.mjs';

const CALLS = 200;  // More than the server has worker threads, each for a minute.
const END_MS_MAX = 6_000;

function startClient(t, ...args) {
  const script = fileURLToPath(new URL('killed_client.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test('a server on a pipe ends when its client is killed in the middle of a call', async (t) => {
  const client = startClient(t, 'stdio', binary('EVERYTHING_SERVER'));
  const [line] = await within(10_000, 'the client to be in its call', once(client.stdout, 'data'));
  const pid = Number(line);
  assert.ok(existsSync(`/proc/${pid}`));
  client.kill('SIGKILL');
  await until('the server has ended', () => !existsSync(`/proc/${pid}`), END_MS_MAX);
});

test('the calls of a killed HTTP client are cancelled, so that others can be served', async (t) => {
  const server = await startHttp(t);
  const others = new RawHttp(server);
  const isServed = (ms) => others.modern('tools/call', { name: 'greet', arguments: { name: 'x' } }, {},
    AbortSignal.timeout(ms)).then(({ result }) => result.content[0].text === 'Hello, x!', () => false);
  assert.ok(await isServed(5_000));
  const client = startClient(t, 'http', server.url.href, String(CALLS));
  await until('every worker is busy', async () => !(await isServed(300)) && !(await isServed(300)));
  client.kill('SIGKILL');
  await until('others are served again', () => isServed(1_000), END_MS_MAX);
});

test('a call that is cancelled by its HTTP client frees its worker', async (t) => {
  const { client, check } = await connectModern(t, 'http');
  const abort = new AbortController();
  let begun = 0;
  const calls = Array.from({ length: CALLS }, () =>
    client.callTool({ name: 'test_wait', arguments: {} }, { signal: abort.signal, onprogress: () => ++begun }));
  calls.forEach((call) => call.catch(() => {}));  // They are awaited below.
  await until('calls have begun', () => begun > 0);
  abort.abort('enough');
  for (const { status } of await Promise.allSettled(calls)) assert.equal(status, 'rejected');
  const { content } = await within(END_MS_MAX, 'another call', client.callTool({ name: 'greet', arguments: { name: 'x' } }));
  assert.equal(content[0].text, 'Hello, x!');
  check.assertClean();
});

test('notifications/cancelled stops a call on a pipe, and nothing answers it', async (t) => {
  const pipe = new RawPipe(t);
  pipe.send(modernRequest('wait', 'tools/call', { name: 'test_wait', arguments: {} }));
  pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'wait', reason: 'test' } });
  await pipe.modern('tools/call', { name: 'greet', arguments: { name: 'x' } });
  pipe.server.child.stdin.end();
  const { code } = await within(END_MS_MAX, 'the end of the server', pipe.server.exited);
  assert.equal(code, 0);
  assert.equal(pipe.check.received.filter(({ id }) => id === 'wait').length, 0);
  pipe.check.assertClean();
});
