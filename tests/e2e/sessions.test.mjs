// What only HTTP has in the legacy era: sessions, and streams that a client can come back to.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { connectLegacy, startHttp } from './connection.mjs';
import { until, within } from './waiting.mjs';

const ACCEPT = { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const post = (server, message, headers = {}) =>
  fetch(server.url, { method: 'POST', headers: { ...ACCEPT, ...headers }, body: JSON.stringify(message) });

async function openSession(server) {
  const response = await post(server, INITIALIZE);
  assert.equal(response.status, 200);
  await response.text();
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id'), 'mcp-protocol-version': '2025-11-25' };
  const ready = await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  assert.equal(ready.status, 202);
  return headers;
}

// Reads events until `isLast` says so, then lets go of the stream.
async function readEvents(response, isLast) {
  const events = [];
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const event = { id: /^id: ?(.*)$/m.exec(block)?.[1], data: /^data: ?(\S.*)$/m.exec(block)?.[1] };
      events.push(event);
      if (isLast(event)) return events;
    }
  }
  return events;
}

describe('a session', () => {
  test('has an id that cannot be guessed, and ends when its client says so', async (t) => {
    const { client, link, server, check } = await connectLegacy(t, 'http');
    const id = link.sessionId;
    assert.match(id, /^[\x21-\x7e]{20,}$/);
    await client.ping();
    await link.terminateSession();
    const late = await post(server, { jsonrpc: '2.0', id: 9, method: 'ping' }, { 'mcp-session-id': id });
    assert.equal(late.status, 404);
    check.assertClean();
  });

  test('outlives its connections: another one goes on with it', async (t) => {
    const server = await startHttp(t);
    const headers = await openSession(server);
    await post(server, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'test://watched-resource' } },
      headers);
    const stream = await fetch(server.url, { headers: { ...headers, accept: 'text/event-stream', connection: 'close' } });
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const updated = readEvents(stream, ({ data }) => data?.includes('notifications/resources/updated'));
    await post(server, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'test_touch_resource' } }, headers);
    const events = await within(5000, 'the update on the stream', updated);
    assert.equal(JSON.parse(events.at(-1).data).params.uri, 'test://watched-resource');
  });

  test('is unknown to others: a wrong id is 404, none is 400', async (t) => {
    const server = await startHttp(t);
    await openSession(server);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    assert.equal((await post(server, ping, { 'mcp-session-id': 'AAAAAAAAAAAAAAAAAAAAAAAA' })).status, 404);
    assert.equal((await post(server, ping)).status, 400);
    const deleted = await fetch(server.url, { method: 'DELETE', headers: { 'mcp-session-id': 'AAAAAAAAAAAAAAAA' } });
    assert.equal(deleted.status, 404);
  });
});

describe('a stream', () => {
  test('that the server closed is resumed by the official client', async (t) => {
    const { client, check } = await connectLegacy(t, 'http', {
      reconnectionOptions: { initialReconnectionDelay: 50, maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1.5, maxRetries: 5 },
    });
    const result = await client.callTool({ name: 'test_reconnection', arguments: {} });
    assert.equal(result.content[0].text, 'Reconnection test completed successfully');
    check.assertClean();
  });

  test('that broke is replayed from the last event that its client saw', async (t) => {
    const server = await startHttp(t);
    const headers = await openSession(server);
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call',
      params: { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 'p' } } };
    const broken = await post(server, call, headers);
    const [first] = (await readEvents(broken, ({ data }) => data?.includes('"progress":0'))).slice(-1);
    assert.ok(first.id, 'events have ids');
    const resumed = await fetch(server.url,
      { headers: { ...headers, 'accept': 'text/event-stream', 'last-event-id': first.id } });
    assert.equal(resumed.status, 200);
    const events = await within(5000, 'the answer on the resumed stream',
      readEvents(resumed, ({ data }) => data?.includes('"id":5')));
    const messages = events.filter(({ data }) => data).map(({ data }) => JSON.parse(data));
    assert.deepEqual(messages.map(({ params }) => params?.progress), [50, 100, undefined]);
    assert.equal(messages.at(-1).result.content[0].text, 'Tool with progress executed successfully');
  });

  test('that another session had, or that never was, is not replayed', async (t) => {
    const server = await startHttp(t);
    const mine = await openSession(server);
    const theirs = await openSession(server);
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call',
      params: { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 'p' } } };
    const [first] = await readEvents(await post(server, call, mine), ({ id }) => id);
    for (const lastEventId of ['nonsense', first.id]) {
      const response = await fetch(server.url,
        { headers: { ...theirs, 'accept': 'text/event-stream', 'last-event-id': lastEventId } });
      assert.equal(response.status, 200, 'it gets the stream of new messages');
      const events = readEvents(response, ({ data }) => data?.includes('list_changed'));
      await post(server, { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'test_trigger_tool_change' } },
        theirs);
      const seen = (await within(5000, 'a notification on the stream', events)).map(({ data }) => data);
      assert.ok(!seen.some((data) => data?.includes('progress')), seen.join());
    }
    const ping = await post(server, { jsonrpc: '2.0', id: 6, method: 'ping' }, theirs);
    assert.equal(ping.status, 200);
  });
});

test('a server that ends closes the streams of its sessions', async (t) => {
  const server = await startHttp(t);
  const headers = await openSession(server);
  const stream = await fetch(server.url, { headers: { ...headers, accept: 'text/event-stream' } });
  const end = readEvents(stream, () => false);
  const stopped = await server.stop();
  assert.equal(stopped.code, 0);
  await within(1000, 'the end of the stream', end.catch(() => {}));
  await until('nobody listens any more', () => fetch(server.url).then(() => false, () => true));
});
