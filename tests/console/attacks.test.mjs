// What pages and programs that are not the console's try against it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { after, before, it } from 'node:test';

import { ConsoleServer, launchBrowser, openPage, removeFolder, sampleFolder } from './console_server.mjs';

let folder;
before(() => { folder = sampleFolder(); });
after(() => removeFolder(folder));

async function started(t) {
  const server = await ConsoleServer.start(folder);
  t.after(() => server.stop());
  return server;
}

// A request as no browser would send it: any Host, any path.
function raw(server, { path = '/console/', method = 'GET', headers = {}, body = '' } = {}) {
  const { hostname, port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (chunk) => { text += chunk; }).on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

it('lets no page of another local port read, post to or frame the console', async (t) => {
  const server = await started(t);
  const token = await server.signIn();
  const other = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>other</title><iframe id=frame></iframe>'));
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const tried = await page.evaluate(async ([origin, known]) => {
    const outcome = async (attempt) => { try { return await attempt(); } catch { return 'refused'; } };
    const read = () => outcome(async () => (await (await fetch(`${origin}/console/`)).text()).length);
    const mcp = () => outcome(async () => (await fetch(`${origin}/mcp`, { method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${known}` }, body: '{}' })).status);
    const frame = document.getElementById('frame');
    const framed = new Promise((resolve) => { frame.onload = () => resolve(outcome(() => frame.contentDocument?.title ?? 'foreign')); });
    frame.src = `${origin}/console/`;
    const post = await outcome(async () => (await fetch(`${origin}/console/sign-in`, { method: 'POST', mode: 'no-cors', body: '{"key":"x"}' })).type);
    return { read: await read(), mcp: await mcp(), frame: await framed, post };
  }, [server.origin, token]);
  assert.equal(tried.read, 'refused');
  assert.equal(tried.mcp, 'refused');
  assert.notEqual(tried.frame, 'Sluice');
  assert.equal((await server.mcp(token)).status, 200);
});

it('serves no host but its own', async (t) => {
  const server = await started(t);
  for (const path of ['/console/', '/console', '/console/sign-in']) {
    assert.equal((await raw(server, { path, headers: { Host: 'attacker.example' } })).status, 403, path);
  }
});

it('keeps keys out of the address, of logs and of command lines', async (t) => {
  const server = await started(t);
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await openPage(t, browser, server);
  const asked = [];
  page.on('request', (one) => asked.push(one.url() + JSON.stringify(one.headers())));
  await page.goto(server.link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.ok(!page.url().includes(server.key));
  await page.evaluate(() => history.back());
  assert.ok(!page.url().includes(server.key));
  assert.ok(!asked.some((text) => text.includes(server.key)));
  assert.ok(!server.log.join('\n').includes(server.key));
  assert.ok(!readFileSync(`/proc/${server.child.pid}/cmdline`, 'latin1').includes(server.key));
});

it('ends the session of a key that is used twice, and answers every wrong key alike', async (t) => {
  const server = await started(t);
  const token = await server.signIn();
  assert.equal((await server.mcp(token)).status, 200);
  const again = await server.post('sign-in', { key: server.key });
  assert.equal(again.status, 403);
  assert.equal((await server.mcp(token)).status, 401);
  assert.match(server.log.join('\n'), /console\.key_reused/);
  const body = await again.text();
  for (const wrong of [{ key: 'x' }, { key: 7 }, {}, [], 'no json']) {
    const response = await server.post('sign-in', wrong);
    assert.equal(response.status, 403);
    assert.equal(await response.text(), body);
  }
});

it('gives one of two racing uses of a key a session, and then none', async (t) => {
  const server = await started(t);
  const answers = await Promise.all([1, 2].map(() => server.post('sign-in', { key: server.key })));
  assert.deepEqual(answers.map((one) => one.status).sort(), [200, 403]);
  const winner = answers.find((one) => one.status === 200);
  assert.equal((await server.mcp((await winner.json()).token)).status, 401);
});

it('knows no token after it was signed out, nor after a restart', async (t) => {
  const server = await started(t);
  const token = await server.signIn();
  assert.equal((await server.post('sign-out', {}, { Authorization: `Bearer ${token}` })).status, 200);
  assert.equal((await server.mcp(token)).status, 401);
  const other = await started(t);
  const fresh = await other.signIn();
  assert.equal((await server.mcp(fresh)).status, 401);
});

it('takes posts from its own pages alone', async (t) => {
  const server = await started(t);
  const { port } = new URL(server.origin);
  for (const origin of ['null', 'http://attacker.example', `http://127.0.0.1:${Number(port) + 1}`, `https://127.0.0.1:${port}`]) {
    assert.equal((await server.post('sign-in', { key: server.key }, { Origin: origin })).status, 403, origin);
  }
  assert.equal((await server.post('sign-in', { key: server.key }, { 'Sec-Fetch-Site': 'same-site' })).status, 403);
  const body = JSON.stringify({ key: server.key });
  const json = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  assert.equal((await raw(server, { path: '/console/sign-in', method: 'POST', headers: json, body })).status, 403);
  assert.equal((await server.post('sign-in', { key: server.key }, { 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await server.post('sign-in', { key: 'x'.repeat(5000) })).status, 413);
  assert.equal((await fetch(`${server.origin}/console/sign-in`)).status, 404);
  assert.equal((await server.post('sign-in', { key: server.key })).status, 200);
});

it('serves nothing but its own files', async (t) => {
  const server = await started(t);
  const index = await raw(server);
  assert.equal(index.status, 200);
  for (const path of ['/console/../mcp', '/console/%2e%2e/mcp', '/console//', '/console/assets/', '/console/assets/index.html', '/console/assets/console.00000000.js',
    '/console/assets/..%2findex.html', '/console/x', '/consolex']) {
    assert.equal((await raw(server, { path })).status, 404, path);
  }
  assert.equal((await raw(server, { path: '/console' })).headers.location, '/console/');
  for (const header of ['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy',
    'cross-origin-resource-policy', 'permissions-policy']) {
    assert.ok(index.headers[header], header);
  }
  assert.match(index.headers['content-security-policy'], /default-src 'none'; script-src 'self';/);
});

it('lets files be kept, in the coding that is accepted', async (t) => {
  const server = await started(t);
  const names = [...(await raw(server)).text.matchAll(/assets\/(console\.[0-9a-f]{8}\.(?:js|css))/g)].map((found) => found[1]);
  assert.equal(names.length, 2);
  for (const name of names) {
    const path = `/console/assets/${name}`;
    const plain = await raw(server, { path });
    assert.equal(plain.headers['content-encoding'], undefined);
    const packed = await raw(server, { path, headers: { 'Accept-Encoding': 'br, gzip' } });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.text.length < plain.text.length / 2);
    assert.notEqual(packed.headers.etag, plain.headers.etag);
    assert.match(plain.headers['cache-control'], /immutable/);
    const known = await raw(server, { path, headers: { 'If-None-Match': plain.headers.etag } });
    assert.deepEqual([known.status, known.text], [304, '']);
    const head = await raw(server, { path, method: 'HEAD' });
    assert.deepEqual([head.status, head.text, Number(head.headers['content-length'])], [200, '', plain.text.length]);
    const part = await raw(server, { path, headers: { Range: 'bytes=0-9' } });
    assert.deepEqual([part.status, part.text.length], [200, plain.text.length]);
  }
});
