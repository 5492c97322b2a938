// 2,000 spoilt requests over each transport, the same in every run. A spoilt request may be refused in many ways, but an
// internal error (-32603, or HTTP 500) is always a bug of ours.
import assert from 'node:assert/strict';
import { request as httpRequest, Agent } from 'node:http';
import { test } from 'node:test';

import { modernHeaders, modernRequest } from '../e2e/raw_client.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { until, within } from '../e2e/waiting.mjs';
import { RawSocket, assertServes, goodRequest, greet, httpServerUnderAttack } from './attack.mjs';
import { Mutator } from './mutation.mjs';
import { randomFrom } from './random.mjs';

const COUNT = 2000;
const SEED = 20260728;
const target = httpServerUnderAttack();

// Headers that fit the body where it can be understood: the server would look no further otherwise.
function headersFor(text) {
  try {
    const message = JSON.parse(text);
    const plain = (value) => (typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : undefined);
    const all = modernHeaders({ method: plain(message.method) ?? 'ping',
      params: { name: plain(message.params?.name), uri: plain(message.params?.uri), taskId: plain(message.params?.taskId) } });
    if (!message.params?._meta) ['mcp-protocol-version', 'mcp-method', 'mcp-name'].forEach((name) => delete all[name]);
    return all;
  } catch {
    return modernHeaders(greet('x'));
  }
}

function post(agent, body) {
  const { hostname: host, port, pathname: path } = target.server.url;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, host, port, path, method: 'POST',
      headers: { ...headersFor(body), 'content-length': Buffer.byteLength(body) } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

test('spoilt bodies over HTTP are refused or served', async (t) => {
  const mutator = new Mutator(randomFrom(SEED));
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statuses = {};
  for (let i = 0; i < COUNT; ++i) {
    const body = mutator.next();
    const { status, text } = await within(5000, `an answer to mutant ${i}: ${body}`, post(agent, body));
    statuses[status] = (statuses[status] ?? 0) + 1;
    assert.ok(status < 500 && !text.includes('-32603'), `mutant ${i}: ${body}\n${status} ${text}`);
    if (i % 100 === 0) await assertServes(target.server);
  }
  agent.destroy();
  t.diagnostic(`statuses: ${JSON.stringify(statuses)}`);
  assert.ok(statuses[200] > 100 && statuses[400] > 100, 'the mutants reach both sides of the checks');
});

test('spoilt HTTP requests are refused or served', async () => {
  const mutator = new Mutator(randomFrom(SEED + 1));
  for (let i = 0; i < COUNT; i += 20) {
    await Promise.all(Array.from({ length: 20 }, async () => {
      const bytes = mutator.spoilText(goodRequest(target.server).replaceAll('\n', '\u0001')).replaceAll('\u0001', '\n');
      const socket = new RawSocket(target.server).send(Buffer.from(bytes, 'latin1'));
      socket.socket.end();
      const text = await socket.end();
      assert.doesNotMatch(text, /^HTTP\/1\.1 5(?!0[15])|-32603/, JSON.stringify(bytes));
    }));
  }
});

test('spoilt lines over stdio are refused or served', async () => {
  const mutator = new Mutator(randomFrom(SEED + 2));
  const server = ServerProcess.stdio(binary('EVERYTHING_SERVER'));
  let output = '';
  server.child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  for (let i = 0; i < COUNT; ++i) {
    server.child.stdin.write(`${mutator.next()}\n`);
    if (i % 50 !== 49) continue;  // Wait for the answers, so that the bound on requests under way is not what is tested.
    server.child.stdin.write(`${JSON.stringify(modernRequest(`good-${i}`, 'server/discover'))}\n`);
    await until(`the good request after mutant ${i} is answered`, () => output.includes(`"good-${i}"`));
  }
  server.child.stdin.end();
  const { code } = await within(5000, 'the server to end', server.exited);
  assert.equal(code, 0, server.log.join('\n'));
  const lines = output.trimEnd().split('\n');
  assert.ok(lines.length > COUNT / 2);
  for (const line of lines) {
    JSON.parse(line);
    assert.doesNotMatch(line, /-32603/);
  }
});
