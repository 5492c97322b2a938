// Attacks through the pipes of a process. After each the same process must still answer a good request.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { modernRequest } from '../e2e/raw_client.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { until, within } from '../e2e/waiting.mjs';
import { MEGABYTE, memoryMax } from './attack.mjs';
import { randomBytes } from './random.mjs';

const GRACE_MS_MAX = 5_000;
const call = (id, name, args = {}) => modernRequest(id, 'tools/call', { name, arguments: args });

class Pipe {
  messages = [];

  constructor(t) {
    this.server = ServerProcess.stdio(binary('EVERYTHING_SERVER'));
    let rest = '';
    this.server.child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      this.messages.push(...lines.map((line) => JSON.parse(line)));  // Protocol only: anything else throws.
    });
    t.after(() => this.server.stop());
  }

  send(bytes) {
    this.server.child.stdin.write(bytes);
    return this;
  }

  sendMessage(message) {
    return this.send(`${JSON.stringify(message)}\n`);
  }

  answer(id) {
    return until(`request ${id} is answered`, () => this.messages.find((message) => message.id === id));
  }

  async assertServes() {
    const { result } = await this.sendMessage(call('good', 'greet', { name: 'x' })).answer('good');
    assert.equal(result.content[0].text, 'Hello, x!');
    assert.ok(this.server.alive);
  }

  // A cancelled call keeps its place until its thread has seen that it is cancelled.
  async assertPlaceGetsFree() {
    let asked = 0;
    await until('a call is served after all others were cancelled', async () => {
      const id = `place-${asked++}`;
      const { result, error } = await this.sendMessage(call(id, 'greet', { name: 'x' })).answer(id);
      assert.ok(result || error.data.code === 'too_busy', JSON.stringify(error));
      return result;
    });
  }

  async exit(ms = GRACE_MS_MAX) {
    const end = await within(ms, 'the server to end', this.server.exited);
    assert.deepEqual(end, { code: 0, signal: null }, this.server.log.join('\n'));
  }
}

const nested = (depth) => `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(depth)}${']'.repeat(depth)}}`;

// A line, and the code of the error that answers it.
const REFUSED = {
  'truncated JSON': ['{"jsonrpc":"2.0","id":1,"method":"to', -32700],
  'a lone brace': ['{', -32700],
  'an unterminated string': ['"abc', -32700],
  'nesting of 65 levels': [nested(64), -32700],
  'nesting of 100,000 levels': [nested(100_000), -32700],
  'open brackets alone': ['['.repeat(1_000_000), -32700],
  'a duplicate key': ['{"jsonrpc":"2.0","id":1,"method":"ping","id":2}', -32700],
  'invalid UTF-8': [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', 'latin1'), -32700],
  'an overlong UTF-8 form': [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}', 'latin1'), -32700],
  'a surrogate in UTF-8': [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}', 'latin1'), -32700],
  'a lone escaped surrogate': ['{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700],
  'a byte order mark': ['\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
  'NUL bytes': ['\0\0\0\0', -32700],
  'a NUL in a message': ['{"jsonrpc":"2.0",\0"id":1,"method":"ping"}', -32700],
  'a raw control character in a string': ['{"jsonrpc":"2.0","id":1,"method":"a\x01b"}', -32700],
  'a comment': ['{"jsonrpc":"2.0",/*x*/"id":1,"method":"ping"}', -32700],
  'a trailing comma': ['{"jsonrpc":"2.0","id":1,"method":"ping",}', -32700],
  'two values on a line': ['{"jsonrpc":"2.0","id":1,"method":"ping"} {}', -32700],
  'NaN': ['{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700],
  'a number of 100,000 digits': [`{"jsonrpc":"2.0","id":${'9'.repeat(100_000)},"method":"ping"}`, -32700],
  'a line of 5 MiB': [`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(5 * MEGABYTE)}"}`, -32600],
  'a string instead of a message': ['"hello"', -32600],
  'a number instead of a message': ['42', -32600],
  'null instead of a message': ['null', -32600],
  'no version': ['{"id":1,"method":"ping"}', -32600],
  'another version': ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  'an id that is an object': ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  'an id that is null': ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  'an id that is a fraction': ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  'an id of 10,000 characters': [`{"jsonrpc":"2.0","id":"${'x'.repeat(10_000)}","method":"ping"}`, -32600],
  'a method that is a number': ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
  'a method of 10,000 characters': [`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(10_000)}"}`, -32600],
  'parameters that are a list': ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
  'an empty batch': ['[]', -32600],
};

describe('a line with', () => {
  for (const [what, [line, code]] of Object.entries(REFUSED)) {
    test(`${what} is answered with ${code}`, async (t) => {
      const pipe = new Pipe(t);
      pipe.send(line).send('\n');
      await until('the line is answered', () => pipe.messages.length === 1);
      assert.equal(pipe.messages[0].error?.code, code, JSON.stringify(pipe.messages[0]).slice(0, 300));
      await pipe.assertServes();
      assert.equal(pipe.messages.length, 2, 'one answer to each line');
    });
  }
});

test('a flood of 10,000 invalid lines is answered line by line', async (t) => {
  const pipe = new Pipe(t);
  pipe.send('{]\n'.repeat(10_000));
  await until('all are answered', () => pipe.messages.length === 10_000);
  assert.ok(pipe.messages.every(({ error }) => error.code === -32700));
  await pipe.assertServes();
  assert.ok(pipe.server.residentBytes() < memoryMax(64 * MEGABYTE));
});

test('a flood of 50,000 requests is answered one by one', async (t) => {
  const pipe = new Pipe(t);
  for (let sent = 0; sent < 50_000; sent += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, i) => `${JSON.stringify(call(sent + i, 'greet', { name: 'x' }))}\n`);
    pipe.send(lines.join(''));
    await until('most are answered', () => pipe.messages.length >= sent - 1_000, 30_000);
  }
  await until('all are answered', () => pipe.messages.length === 50_000, 30_000);
  assert.equal(new Set(pipe.messages.map(({ id }) => id)).size, 50_000);
  assert.ok(pipe.messages.every((message) => message.result || message.error.data.code === 'too_busy'));
  await pipe.assertServes();
  assert.ok(pipe.server.residentBytes() < memoryMax(96 * MEGABYTE), `${pipe.server.residentBytes()}`);
});

test('a flood of calls that wait is refused beyond a bound, and what waits can be cancelled', async (t) => {
  const pipe = new Pipe(t);
  for (let i = 0; i < 5_000; ++i) pipe.sendMessage(call(`wait-${i}`, 'test_wait'));
  await until('most are refused', () => pipe.messages.length >= 5_000 - 128);
  assert.ok(pipe.messages.every(({ error }) => error.data.code === 'too_busy'));
  const waiting = Array.from({ length: 5_000 }, (_, i) => `wait-${i}`).filter((id) => !pipe.messages.some((one) => one.id === id));
  assert.equal(waiting.length, 128);
  for (const requestId of waiting) pipe.sendMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  await pipe.assertPlaceGetsFree();
  await pipe.assertServes();
});

test('a flood of notifications and of answers that nobody waits for is ignored', async (t) => {
  const pipe = new Pipe(t);
  const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } };
  const answer = { jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(1_000) } };
  const lines = `${JSON.stringify(notice)}\n${JSON.stringify(answer)}\n`.repeat(1_000);
  for (let i = 0; i < 50; ++i) pipe.send(lines);
  await pipe.assertServes();
  assert.ok(pipe.server.residentBytes() < memoryMax(64 * MEGABYTE), `${pipe.server.residentBytes()}`);
});

test('empty lines, and lines of spaces, are no messages', async (t) => {
  const pipe = new Pipe(t);
  pipe.send('\n\r\n   \n\t\n'.repeat(1000));
  await pipe.assertServes();
  assert.equal(pipe.messages.length, 1);
});

test('random bytes do no harm', async (t) => {
  const pipe = new Pipe(t);
  for (let seed = 1; seed <= 50; ++seed) pipe.send(randomBytes(seed, 10_000));
  pipe.send('\n');
  await pipe.assertServes();
});

test('a line without end is dropped as it comes', async (t) => {
  const pipe = new Pipe(t);
  for (let i = 0; i < 64; ++i) {
    if (!pipe.server.child.stdin.write('x'.repeat(MEGABYTE)))
      await new Promise((resolve) => pipe.server.child.stdin.once('drain', resolve));
  }
  const used = pipe.server.residentBytes();
  t.diagnostic(`resident in the middle of a line of 64 MiB: ${(used / MEGABYTE).toFixed(1)} MB`);
  assert.ok(used < memoryMax(48 * MEGABYTE), `${used}`);
  pipe.send('\n');
  await pipe.assertServes();
});

test('input that ends in the middle of a message ends the server', async (t) => {
  const pipe = new Pipe(t);
  await pipe.assertServes();
  pipe.send('{"jsonrpc":"2.0","id":9,"meth');
  pipe.server.child.stdin.end();
  await pipe.exit();
});

test('input that ends at once ends the server', async (t) => {
  const pipe = new Pipe(t);
  pipe.server.child.stdin.end();
  await pipe.exit();
  assert.deepEqual(pipe.messages, []);
});

test('a request under way when the input ends is still answered', async (t) => {
  const pipe = new Pipe(t);
  pipe.sendMessage(call('slow', 'test_tool_with_progress'));
  pipe.server.child.stdin.end();
  await pipe.exit();
  assert.equal((await pipe.answer('slow')).result.content[0].text, 'Tool with progress executed successfully');
});

test('a last line without its end of line is still a message', async (t) => {
  const pipe = new Pipe(t);
  pipe.send(JSON.stringify(call('last', 'greet', { name: 'x' })));
  pipe.server.child.stdin.end();
  await pipe.exit();
  assert.equal((await pipe.answer('last')).result.content[0].text, 'Hello, x!');
});

test('SIGTERM in the middle of work ends the server in time, and every request has its end', async (t) => {
  const pipe = new Pipe(t);
  pipe.sendMessage(modernRequest('listen', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  pipe.sendMessage(call('work', 'test_wait'));
  await pipe.assertServes();
  await until('the subscription is open', () => pipe.messages.some(({ method }) => /acknowledged/.test(method)));
  pipe.server.child.kill('SIGTERM');
  await pipe.exit();
  const closed = await pipe.answer('listen');
  assert.equal(closed.result.resultType, 'complete');
  const cancelled = pipe.messages.find(({ method }) => method === 'notifications/cancelled');
  assert.equal(cancelled.params.requestId, 'listen');
  assert.ok((await pipe.answer('work')).error, 'a request that cannot be finished is answered with an error');
});

test('a second SIGTERM, and SIGINT, change nothing about that', async (t) => {
  const pipe = new Pipe(t);
  pipe.sendMessage(call('work', 'test_wait'));
  await pipe.assertServes();
  for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT']) pipe.server.child.kill(signal);
  await pipe.exit();
});

test('a client that never reads is given up, in bounded memory', async (t) => {
  const pipe = new Pipe(t);
  await pipe.assertServes();
  const { child } = pipe.server;
  child.stdout.pause();
  child.stdout.removeAllListeners('data');
  const request = `${JSON.stringify(call(1, 'greet', { name: 'x'.repeat(10_000) }))}\n`;
  let highest = 0;
  for (let i = 0; i < 20_000 && pipe.server.alive; ++i) {
    const isWritable = child.stdin.write(request.replace('"id":1', `"id":${i}`));
    if (i % 100 === 0 && pipe.server.alive) highest = Math.max(highest, residentOrZero(pipe.server));
    if (!isWritable) await within(10_000, 'the server to read or to end', Promise.race([
      new Promise((resolve) => child.stdin.once('drain', resolve)), exitOf(child)]));
  }
  t.diagnostic(`resident at most ${(highest / MEGABYTE).toFixed(1)} MB`);
  assert.ok(highest < memoryMax(64 * MEGABYTE), `${highest}`);
  const { code } = await within(10_000, 'the server to give up', exitOf(child));
  assert.notEqual(code, null, 'it ends by itself');
  assert.ok(pipe.server.log.some((line) => line.includes('stdio.reader_too_slow')), pipe.server.log.join('\n'));
});

// Its memory, unless it has ended in this moment.
function residentOrZero(server) {
  try {
    return server.residentBytes();
  } catch {
    return 0;
  }
}

// `close` waits for the output to be read, which is what this client does not do.
function exitOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve({ code: child.exitCode });
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code })));
}
