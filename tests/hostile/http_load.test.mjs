// Many connections, slow ones, and ones that never read.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { modernRequest } from '../e2e/raw_client.mjs';
import { until } from '../e2e/waiting.mjs';
import { MEGABYTE, RawSocket, assertServes, goodRequest, httpServerForEachTest, matchesOf, memoryMax } from './attack.mjs';
import { startDeafClient } from './deaf_client.mjs';

const target = httpServerForEachTest();
const listen = (id) => modernRequest(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
const callOf = (name, args = {}) => modernRequest(1, 'tools/call', { name, arguments: args });
const megabytes = (bytes) => `${(bytes / MEGABYTE).toFixed(1)} MB`;

async function openMany(count) {
  const sockets = [];
  for (let i = 0; i < count; i += 100) {
    const some = Array.from({ length: Math.min(100, count - i) }, () => new RawSocket(target.server));
    await Promise.all(some.map(({ opened }) => opened));
    sockets.push(...some);
  }
  return sockets;
}

async function closeAll(sockets) {
  sockets.forEach((socket) => socket.destroy());
  await Promise.all(sockets.map(({ closed }) => closed));
}

// The number of sockets when nobody is connected. The good request before each test is closed, but perhaps not yet
// seen to be.
async function idleSockets() {
  let last;
  return until('the number of sockets stays the same', () => {
    const before = last;
    last = target.server.openSockets();
    return last === before ? last : undefined;
  });
}

async function untilClosed(sockets) {
  await until('the server has closed its ends', () => target.server.openSockets() <= sockets);
}

test('2,000 idle connections leave the server quick and small', async (t) => {
  const sockets = await idleSockets();
  const before = target.server.residentBytes();
  const idle = await openMany(2000);
  await until('all are accepted', () => target.server.openSockets() >= sockets + 2000);
  await assertServes(target.server, 1000);
  const used = target.server.residentBytes();
  t.diagnostic(`resident: ${megabytes(before)} before, ${megabytes(used)} with 2,000 connections`);
  assert.ok(used < memoryMax(64 * MEGABYTE), megabytes(used));
  await closeAll(idle);
  await untilClosed(sockets);
});

test('2,000 connections that stop in the middle of a request leave it so too', async (t) => {
  const sockets = await idleSockets();
  const halves = await openMany(2000);
  const request = goodRequest(target.server, { headers: { 'content-length': 4 * MEGABYTE }, body: '{"jsonrpc":' });
  halves.forEach((socket) => socket.send(request));
  await assertServes(target.server, 1000);
  const used = target.server.residentBytes();
  t.diagnostic(`resident: ${megabytes(used)} with 2,000 unfinished requests`);
  assert.ok(used < memoryMax(96 * MEGABYTE), 'a declared length must not be allocated before its bytes come');
  await closeAll(halves);
  await untilClosed(sockets);
});

test('bodies that never end share a bounded amount of memory', async (t) => {
  const sockets = await idleSockets();
  const before = target.server.privateBytes();
  const stalled = await openMany(100);
  const request = goodRequest(target.server, { headers: { 'content-length': 4 * MEGABYTE }, body: 'x'.repeat(3 * MEGABYTE) });
  stalled.forEach((socket) => socket.send(request));
  await until('most are refused', () => stalled.filter(({ text }) => /^HTTP\/1.1 503 /.test(text)).length >= 80, 30_000);
  await assertServes(target.server, 1000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`100 bodies of 3 MB: ${megabytes(grown)} more`);
  assert.ok(grown < memoryMax(160 * MEGABYTE), megabytes(grown));
  await closeAll(stalled);
  await untilClosed(sockets);
});

test('a client that never reads its stream is dropped', async (t) => {
  const changer = new RawSocket(target.server);
  await changer.opened;
  const changes = matchesOf(changer, /"added"/g);
  const sockets = await idleSockets();
  const before = target.server.privateBytes();
  const message = modernRequest('deaf', 'subscriptions/listen', { notifications: { resourcesListChanged: true } });
  await startDeafClient(t, target.server, goodRequest(target.server, { message }));
  await until('its stream is open', () => target.server.openSockets() === sockets + 1);
  const change = goodRequest(target.server, { message: callOf('test_add_resources', { count: 1000 }) });
  let highest = before;
  let calls = 0;
  while (target.server.openSockets() > sockets) {
    changer.send(change);
    await until('1,000 changes are made', () => changes.length === calls + 1);
    highest = Math.max(highest, target.server.privateBytes());
    assert.ok(++calls < 200, 'it is never dropped');
  }
  t.diagnostic(`dropped after ${calls},000 notifications, with ${megabytes(highest - before)} more`);
  assert.ok(calls >= 4, 'a client that is only slow is given a queue of 4,096');
  assert.ok(highest - before < memoryMax(16 * MEGABYTE), megabytes(highest - before));
  changer.destroy();
});

test('a client that never reads its answers is not worked for', async (t) => {
  const sockets = await idleSockets();
  const before = target.server.privateBytes();
  const large = modernRequest(1, 'tools/call', { name: 'greet', arguments: { name: 'x'.repeat(MEGABYTE) } });
  await startDeafClient(t, target.server, goodRequest(target.server, { message: large }), 64);
  await until('it is connected', () => target.server.openSockets() > sockets);
  for (let i = 0; i < 20; ++i) await assertServes(target.server, 1000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`64 answers of 1 MB that nobody reads: ${megabytes(grown)} more`);
  assert.ok(grown < memoryMax(24 * MEGABYTE), megabytes(grown));
});

test('100 streams that are opened and dropped, again and again, leave nothing behind', async (t) => {
  const sockets = await idleSockets();
  const round = async () => {
    const streams = await openMany(100);
    streams.forEach((stream, i) => stream.send(goodRequest(target.server, { message: listen(i) })));
    await Promise.all(streams.map((stream) => stream.until(/subscriptions\/acknowledged/)));
    await closeAll(streams);
    await untilClosed(sockets);
  };
  for (let i = 0; i < 3; ++i) await round();  // What is allocated once is allocated now.
  const before = target.server.privateBytes();
  for (let i = 0; i < 50; ++i) await round();
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`5,000 streams: ${megabytes(grown)} more`);
  assert.ok(grown < memoryMax(4 * MEGABYTE), megabytes(grown));
});

test('legacy sessions without end are bounded, and the oldest go first', async (t) => {
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x'.repeat(200), version: '1' } } };
  const headers = { 'mcp-protocol-version': undefined, 'mcp-method': undefined };
  const request = goodRequest(target.server, { message: initialize, headers });
  const before = target.server.privateBytes();
  const socket = new RawSocket(target.server);
  const ids = matchesOf(socket, /mcp-session-id: (\S+)\r/gi);
  for (let i = 0; i < 60; ++i) socket.send(request.repeat(100));
  await until('6,000 sessions were opened', () => ids.length === 6000, 30_000);
  socket.destroy();
  assert.equal(new Set(ids).size, 6000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`6,000 sessions: ${megabytes(grown)} more`);
  assert.ok(grown < memoryMax(48 * MEGABYTE), megabytes(grown));
  const ping = (id) => fetch(target.server.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream', 'mcp-session-id': id } });
  assert.equal((await ping(ids[0])).status, 404);
  assert.equal((await ping(ids.at(-1))).status, 200);
});

test('more calls at once than the server takes are refused, not queued without end', async () => {
  const callers = await openMany(1100);
  const wait = goodRequest(target.server, { message: callOf('test_wait') });
  callers.forEach((caller) => caller.send(wait));
  await until('some are refused', () => callers.some(({ text }) => /too_busy/.test(text)));
  await closeAll(callers);
});

test('the parameters of calls that wait share a bounded amount of memory', async (t) => {
  const sockets = await idleSockets();
  const before = target.server.privateBytes();
  const callers = await openMany(200);
  // 300 KB of text, and some 4 MB once they are values. Nothing reads them, but they live as long as their call.
  const list = Array.from({ length: 100_000 }, () => []);
  const request = goodRequest(target.server, { message: modernRequest(1, 'tools/call', { name: 'test_wait', arguments: {}, list }) });
  for (let i = 0; i < callers.length; i += 20) {  // Bodies that are being received have a bound of their own.
    await Promise.all(callers.slice(i, i + 20).map(({ socket }) => new Promise((resolve) => socket.write(request, resolve))));
    await assertServes(target.server);
  }
  await until('most are refused', () => callers.filter(({ text }) => /too_busy/.test(text)).length >= 150, 30_000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`200 calls with 100,000 values each: ${megabytes(grown)} more`);
  assert.ok(grown < memoryMax(256 * MEGABYTE), megabytes(grown));
  await assertServes(target.server, 1000);
  await closeAll(callers);
  await untilClosed(sockets);
});
