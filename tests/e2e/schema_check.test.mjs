// The judge of all other files here: it must find what is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SchemaCheck } from './schema_check.mjs';

function problemsOf(revision, request, message) {
  const check = new SchemaCheck(revision);
  if (request) check.sent({ jsonrpc: '2.0', id: 1, method: request });
  check.receivedText(typeof message === 'string' ? message : JSON.stringify(message));
  return check.problems;
}

const WRONG = {
  'text that is not JSON': ['2025-11-25', 'ping', 'hello'],
  'a message without its version': ['2025-11-25', 'ping', { id: 1, result: {} }],
  'a result of another shape': ['2025-11-25', 'tools/list', { jsonrpc: '2.0', id: 1, result: { tools: {} } }],
  'a tool without an input schema': ['2025-06-18', 'tools/list', { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'x' }] } }],
  'a modern result without its type': ['2026-07-28', 'tools/call', { jsonrpc: '2.0', id: 1, result: { content: [] } }],
  'a modern list without caching hints':
    ['2026-07-28', 'tools/list', { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', tools: [] } }],
  'content of an unknown type':
    ['2025-11-25', 'tools/call', { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'smell' }] } }],
  'audio before there was audio': ['2024-11-05', 'tools/call',
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] } }],
  'an error without a code': ['2025-11-25', 'ping', { jsonrpc: '2.0', id: 1, error: { message: 'x' } }],
  'an answer to nothing': ['2025-11-25', undefined, { jsonrpc: '2.0', id: 1, result: {} }],
  'an unknown notification': ['2025-11-25', undefined, { jsonrpc: '2.0', method: 'notifications/party' }],
  'a notification with wrong parameters':
    ['2025-11-25', undefined, { jsonrpc: '2.0', method: 'notifications/resources/updated', params: {} }],
};

for (const [what, [revision, request, message]] of Object.entries(WRONG)) {
  test(`finds ${what}`, () => assert.equal(problemsOf(revision, request, message).length, 1));
}

test('is content with what is right', () => {
  const result = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' };
  assert.deepEqual(problemsOf('2026-07-28', 'tools/list', { jsonrpc: '2.0', id: 1, result }), []);
  assert.deepEqual(problemsOf('2024-11-05', 'ping', { jsonrpc: '2.0', id: 1, result: {} }), []);
});

test('a connection on which nothing was seen is not clean', () => {
  assert.throws(() => new SchemaCheck('2025-11-25').assertClean(), /no message/);
});
