// Requests that are good HTTP, from the wrong page, for the wrong host, or with the wrong method or path.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { goodRequest, greet, httpServerUnderAttack, statusOf } from './attack.mjs';

const target = httpServerUnderAttack();
const status = (options) => statusOf(target.server, goodRequest(target.server, options));

for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '169.254.169.254',
  '0.0.0.0', '[::]', '127.0.0.1@evil.example', 'localhost:80:80', '127.0.0.1:99999999', 'x'.repeat(400), '127.1', ' ', '%31',
  'localhost\t.evil.example', '127.0.0.1,evil.example', 'localhost/evil']) {
  test(`Host ${host.slice(0, 40)} is refused`, async () => {
    const code = await status({ headers: { host } });
    assert.ok(code >= 400 && code < 500, `${code}`);
  });
}

test('a request without Host, or with two of them, is refused', async () => {
  assert.equal(await status({ headers: { host: undefined } }), 400);
  assert.equal(await status({ headers: { host: [target.server.url.host, target.server.url.host] } }), 400);
  assert.equal(await status({ headers: { host: [target.server.url.host, 'evil.example'] } }), 400);
});

test('an absolute target does not override Host', async () => {
  const code = await status({ head: 'POST http://evil.example/mcp HTTP/1.1' });
  assert.ok(code >= 400 && code < 500, `${code}`);
});

for (const origin of ['http://evil.example', 'https://localhost.evil.example', 'null', 'file://', 'http://127.0.0.1.evil.example',
  'http://localhost@evil.example', 'localhost', '', 'http://', 'javascript:alert(1)', 'http://evil.example:80/http://localhost']) {
  test(`Origin "${origin}" is refused`, async () => {
    assert.equal(await status({ headers: { origin } }), 403);
  });
}

test('the origin of the server itself is accepted', async () => {
  assert.equal(await status({ headers: { origin: target.server.url.origin } }), 200);
});

test('a preflight from another page gets no permission', async () => {
  const code = await status({ head: 'OPTIONS /mcp HTTP/1.1', body: '',
    headers: { 'origin': 'http://evil.example', 'access-control-request-method': 'POST' } });
  assert.ok(code >= 400, `${code}`);
});

for (const path of ['/', '/mcp/', '/mcp/../etc/passwd', '/..%2f..%2fetc/passwd', '//mcp', '/MCP', '/mcp%00', '/mcp;x', '*', 'mcp',
  '/healthz/../mcp', '/%6dcp', '/mcp#x']) {
  test(`path ${path} is not the endpoint`, async () => {
    const code = await status({ head: `POST ${path} HTTP/1.1` });
    assert.ok(code >= 400 && code < 500, `${code}`);
  });
}

for (const method of ['PUT', 'PATCH', 'HEAD', 'TRACE', 'OPTIONS', 'CONNECT', 'post', 'BREW', 'G'.repeat(1000)]) {
  test(`method ${method.slice(0, 20)} is refused`, async () => {
    const code = await status({ head: `${method} /mcp HTTP/1.1` });
    assert.ok(code === 400 || code === 405 || code === 501, `${code}`);
  });
}

test('GET and DELETE without a session are refused', async () => {
  for (const method of ['GET', 'DELETE'])
    assert.equal(await status({ head: `${method} /mcp HTTP/1.1`, body: '', headers: { 'content-length': undefined } }), 405);
});

test('a body that does not say it is JSON is refused', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx', ''])
    assert.equal(await status({ headers: { 'content-type': type } }), 415, type);
  assert.equal(await status({ headers: { 'content-type': undefined } }), 415);
});

test('headers that contradict the body are refused', async () => {
  assert.equal(await status({ headers: { 'mcp-method': 'tools/list' } }), 400);
  assert.equal(await status({ headers: { 'mcp-name': 'test_wait' } }), 400);
  assert.equal(await status({ headers: { 'mcp-protocol-version': '2025-11-25' } }), 400);
  assert.equal(await status({ headers: { 'mcp-name': undefined } }), 400);
  assert.equal(await status({ headers: { 'mcp-method': ['tools/call', 'tools/list'] } }), 400);
});

test('a session id cannot carry anything but an id', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const id of ['../../etc', 'x'.repeat(5000), "' or 1=1", '\u00ff\u00fe', ' ']) {
    const code = await statusOf(target.server, Buffer.from(goodRequest(target.server,
      { message, headers: { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25', 'mcp-method': undefined } }), 'latin1'));
    assert.ok(code === 400 || code === 404, `${id.slice(0, 20)}: ${code}`);
  }
});

test('an answer gives no other page permission, and says nothing of its software', async () => {
  const response = await fetch(target.server.url, { method: 'POST', body: JSON.stringify(greet('x')),
    headers: { 'content-type': 'application/json' } });
  await response.text();
  assert.equal(response.headers.get('access-control-allow-origin'), null);
  assert.doesNotMatch(response.headers.get('server') ?? '', /beast|boost/i);
});
