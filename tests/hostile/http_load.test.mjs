// Many connections, slow ones, and ones that never read.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { modernRequest } from '../e2e/raw_client.mjs';
import { until } from '../e2e/waiting.mjs';
import { MEGABYTE, RawSocket, assertServes, goodRequest, httpServerForEachTest, matchesOf } from './attack.mjs';
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

// The streams that are open: connections beside those that the server had when it was idle.
async function untilClosed(descriptors) {
  await until('the server has closed its ends',
    () => target.server.openDescriptors() <= descriptors + 4);  // Keep-alive connections of the good requests.
}

test('2,000 idle connections leave the server quick and small', async (t) => {
  const descriptors = target.server.openDescriptors();
  const before = target.server.residentBytes();
  const idle = await openMany(2000);
  await until('all are accepted', () => target.server.openDescriptors() >= descriptors + 2000);
  await assertServes(target.server, 1000);
  const used = target.server.residentBytes();
  t.diagnostic(`resident: ${megabytes(before)} before, ${megabytes(used)} with 2,000 connections`);
  assert.ok(used < 64 * MEGABYTE, megabytes(used));
  await closeAll(idle);
  await untilClosed(descriptors);
});

test('2,000 connections that stop in the middle of a request leave it so too', async (t) => {
  const descriptors = target.server.openDescriptors();
  const halves = await openMany(2000);
  const request = goodRequest(target.server, { headers: { 'content-length': 4 * MEGABYTE }, body: '{"jsonrpc":' });
  halves.forEach((socket) => socket.send(request));
  await assertServes(target.server, 1000);
  const used = target.server.residentBytes();
  t.diagnostic(`resident: ${megabytes(used)} with 2,000 unfinished requests`);
  assert.ok(used < 96 * MEGABYTE, 'a declared length must not be allocated before its bytes come');
  await closeAll(halves);
  await untilClosed(descriptors);
});

test('a client that never reads its stream is dropped', async (t) => {
  const changer = new RawSocket(target.server);
  await changer.opened;
  const changes = matchesOf(changer, /has changed/g);
  const descriptors = target.server.openDescriptors();
  const before = target.server.privateBytes();
  await startDeafClient(t, target.server, goodRequest(target.server, { message: listen('deaf') }));
  await until('its stream is open', () => target.server.openDescriptors() === descriptors + 1);
  const change = goodRequest(target.server, { message: callOf('test_trigger_tool_change') }).repeat(500);
  let highest = before;
  let sent = 0;
  await until('it is dropped', async () => {
    if (target.server.openDescriptors() <= descriptors) return true;
    changer.send(change);
    sent += 500;
    await until('the changes are made', () => changes.length === sent);
    highest = Math.max(highest, target.server.privateBytes());
    assert.ok(sent < 100_000, 'it was not dropped');
    return false;
  }, 25_000);
  t.diagnostic(`dropped after ${sent} notifications, with ${megabytes(highest - before)} more`);
  assert.ok(sent > 1000, 'a client that is only slow must be given time');
  assert.ok(highest - before < 16 * MEGABYTE, megabytes(highest - before));
  changer.destroy();
});

test('a client that never reads its answers is not worked for', async (t) => {
  const descriptors = target.server.openDescriptors();
  const before = target.server.privateBytes();
  const large = modernRequest(1, 'tools/call', { name: 'greet', arguments: { name: 'x'.repeat(MEGABYTE) } });
  await startDeafClient(t, target.server, goodRequest(target.server, { message: large }), 64);
  await until('it is connected', () => target.server.openDescriptors() > descriptors);
  for (let i = 0; i < 20; ++i) await assertServes(target.server, 1000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`64 answers of 1 MB that nobody reads: ${megabytes(grown)} more`);
  assert.ok(grown < 24 * MEGABYTE, megabytes(grown));
});

test('100 streams that are opened and dropped, again and again, leave nothing behind', async (t) => {
  const descriptors = target.server.openDescriptors();
  const round = async () => {
    const sockets = await openMany(100);
    sockets.forEach((socket, i) => socket.send(goodRequest(target.server, { message: listen(i) })));
    await Promise.all(sockets.map((socket) => socket.until(/subscriptions\/acknowledged/)));
    await closeAll(sockets);
    await untilClosed(descriptors);
  };
  for (let i = 0; i < 3; ++i) await round();  // What is allocated once is allocated now.
  const before = target.server.privateBytes();
  for (let i = 0; i < 50; ++i) await round();
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`5,000 streams: ${megabytes(grown)} more`);
  assert.ok(grown < 4 * MEGABYTE, megabytes(grown));
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
  await until('6,000 sessions were opened', () => ids.length === 6000);
  socket.destroy();
  assert.equal(new Set(ids).size, 6000);
  const grown = target.server.privateBytes() - before;
  t.diagnostic(`6,000 sessions: ${megabytes(grown)} more`);
  assert.ok(grown < 48 * MEGABYTE, megabytes(grown));
  const ping = (id) => fetch(target.server.url, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    headers: { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream', 'mcp-session-id': id } });
  assert.equal((await ping(ids[0])).status, 404);
  assert.equal((await ping(ids.at(-1))).status, 200);
});

test('more calls at once than the server takes are refused, not queued without end', async () => {
  const sockets = await openMany(1100);
  const wait = goodRequest(target.server, { message: callOf('test_wait') });
  sockets.forEach((socket) => socket.send(wait));
  await until('some are refused', () => sockets.some(({ text }) => /too_busy/.test(text)));
  await closeAll(sockets);
});
