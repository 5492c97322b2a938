// Bytes that are not quite HTTP, or two readings of HTTP at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MEGABYTE, RawSocket, goodRequest, greet, httpServerUnderAttack, statusOf } from './attack.mjs';
import { randomBytes } from './random.mjs';

const target = httpServerUnderAttack();
const chunked = (body) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const CUT_OFF = 0;  // The server reads on for a while so that its refusal is seen; who sends more than that is reset.
const body = JSON.stringify(greet('x'));

const REFUSED = {
  'two different lengths': { headers: { 'content-length': [body.length, 3] } },
  'a length and chunks': { headers: { 'transfer-encoding': 'chunked' }, body: chunked(body) },
  'a negative length': { headers: { 'content-length': '-1' } },
  'a length with a sign': { headers: { 'content-length': `+${body.length}` } },
  'a length that overflows': { headers: { 'content-length': '18446744073709551617' } },
  'a length that is hexadecimal': { headers: { 'content-length': '0x10' } },
  'an unknown transfer coding': { headers: { 'content-length': undefined, 'transfer-encoding': 'gzip' } },
  'chunks that are not the last coding':
    { headers: { 'content-length': undefined, 'transfer-encoding': 'chunked, identity' }, body: chunked(body) },
  'a chunk size that is not a number':
    { headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' }, body: 'zz\r\nx\r\n0\r\n\r\n' },
  'a chunk size that overflows':
    { headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' }, body: 'fffffffffffffffff\r\nx' },
  'a space before the colon': { headers: { 'x-evil ': '1' } },
  'a header without a name': { headers: { '': 'x' } },
  'a NUL in a header': { headers: { 'x-evil': 'a\0b' } },
  'a bare CR in a header': { headers: { 'x-evil': 'a\rb' } },
  'an unknown HTTP version': { head: 'POST /mcp HTTP/9.9' },
  'no HTTP version': { head: 'POST /mcp' },
  'a method of other characters': { head: 'P\0ST /mcp HTTP/1.1' },
};

for (const [what, spoilt] of Object.entries(REFUSED)) {
  test(`${what} is refused, and the connection closed`, async () => {
    const socket = new RawSocket(target.server);
    socket.send(goodRequest(target.server, spoilt) + goodRequest(target.server, { message: greet('smuggled') }));
    const text = await socket.end();
    assert.doesNotMatch(text, /smuggled|Hello/, 'nothing after the wrong request may be believed');
    assert.match(text, /^HTTP\/1\.1 (4\d\d|50[015]) /);
  });
}

test('a folded header is one header, to us as to any proxy before us', async () => {
  const folded = goodRequest(target.server, { headers: { 'x-evil': 'a\r\n content-length: 3' } });
  const socket = new RawSocket(target.server).send(folded + goodRequest(target.server, { message: greet('second') }));
  const text = await socket.until(/Hello, second!/);
  socket.destroy();
  assert.equal(text.match(/HTTP\/1\.1 200 /g).length, 2);
});

test('a correct chunked request is served', async () => {
  const status = await statusOf(target.server, goodRequest(target.server,
    { headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' }, body: chunked(body) }));
  assert.equal(status, 200);
});

test('pipelined requests are answered in their order', async () => {
  const count = 50;
  const socket = new RawSocket(target.server);
  const names = Array.from({ length: count }, (_, i) => `caller-${i}.`);
  socket.send(names.map((name, i) => goodRequest(target.server, { message: greet(name, i) })).join(''));
  const text = await socket.until(/caller-49\./);
  socket.destroy();
  assert.deepEqual(text.match(/Hello, caller-\d+\./g), names.map((name) => `Hello, ${name}`));
});

test('a request that comes one byte at a time is served', async () => {
  const socket = new RawSocket(target.server, { noDelay: true });
  await socket.opened;
  for (const byte of goodRequest(target.server)) {
    socket.send(byte);
    await new Promise(setImmediate);
  }
  assert.match(await socket.until(/Hello, x!/), /^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a head that stops in the middle holds up nobody, and its end is noticed', async () => {
  const halves = Array.from({ length: 100 }, () => new RawSocket(target.server).send('POST /mcp HTTP/1.1\r\nHost: 127'));
  await Promise.all(halves.map(({ opened }) => opened));
  assert.equal(await statusOf(target.server, goodRequest(target.server)), 200);
  halves.forEach(({ socket }) => socket.end());
  await Promise.all(halves.map((half) => half.end()));
});

test('a body that stops in the middle holds up nobody, and its end is noticed', async () => {
  const request = goodRequest(target.server);
  const halves = Array.from({ length: 100 }, () => new RawSocket(target.server).send(request.slice(0, -20)));
  await Promise.all(halves.map(({ opened }) => opened));
  assert.equal(await statusOf(target.server, goodRequest(target.server)), 200);
  halves.forEach(({ socket }) => socket.end());
  for (const half of halves) assert.doesNotMatch(await half.end(), /Hello/);
});

test('headers without end are refused', async () => {
  const many = Array.from({ length: 2000 }, (_, i) => `x-${i}: ${'y'.repeat(50)}`).join('\r\n');
  const manyHeaders = `POST /mcp HTTP/1.1\r\nHost: ${target.server.url.host}\r\n${many}\r\n\r\n`;
  const longHeader = goodRequest(target.server, { headers: { 'x-long': 'y'.repeat(MEGABYTE) } });
  const longTarget = goodRequest(target.server, { head: `POST /mcp?${'y'.repeat(MEGABYTE)} HTTP/1.1` });
  const neverEnding = `POST /mcp HTTP/1.1\r\nX: ${'y'.repeat(4 * MEGABYTE)}`;
  for (const attack of [manyHeaders, longHeader, longTarget, neverEnding])
    assert.ok([400, 413, 414, 431, CUT_OFF].includes(await statusOf(target.server, attack)));
});

test('a body above the limit is refused before it is read', async () => {
  const declared = goodRequest(target.server, { headers: { 'content-length': 5 * MEGABYTE }, body: '' });
  assert.equal(await statusOf(target.server, declared), 413);
  const sent = goodRequest(target.server, { body: 'x'.repeat(5 * MEGABYTE) });
  assert.ok([413, CUT_OFF].includes(await statusOf(target.server, sent)));
  const chunks = `100000\r\n${'x'.repeat(MEGABYTE)}\r\n`.repeat(5);
  const headers = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
  assert.ok([413, CUT_OFF].includes(await statusOf(target.server, goodRequest(target.server, { headers, body: chunks }))));
});

test('a client that waits for "100 Continue" gets it, but not for a body above the limit', async () => {
  const request = goodRequest(target.server, { headers: { expect: '100-continue' } });
  const at = request.indexOf('\r\n\r\n') + 4;
  const socket = new RawSocket(target.server).send(request.slice(0, at));
  assert.match(await socket.until(/\r\n\r\n/), /^HTTP\/1\.1 100 /);
  socket.send(request.slice(at));
  assert.match(await socket.until(/Hello, x!/), /HTTP\/1\.1 200 /);
  socket.destroy();
  const tooLarge = { headers: { 'expect': '100-continue', 'content-length': 5 * MEGABYTE }, body: '' };
  assert.equal(await statusOf(target.server, goodRequest(target.server, tooLarge)), 413);
});

test('random bytes are refused', async () => {
  for (let seed = 1; seed <= 100; ++seed) {
    const socket = new RawSocket(target.server).send(randomBytes(seed, 2000));
    socket.socket.end();
    assert.doesNotMatch(await socket.end(), /HTTP\/1\.1 2/);
  }
});

test('a TLS greeting on a plain port is refused', async () => {
  const hello = Buffer.from('16030100c8010000c40303' + '00'.repeat(190), 'hex');
  const socket = new RawSocket(target.server).send(hello);
  socket.socket.end();
  assert.doesNotMatch(await socket.end(), /HTTP\/1\.1 2/);
});
