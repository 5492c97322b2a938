// Two callers of `sluice` with tokens of their own: one takes as much as it gets, and the other must hardly notice.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { modernHeaders, modernRequest } from '../e2e/raw_client.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { until } from '../e2e/waiting.mjs';

process.env.TEST_TOKEN_ALICE = 'alice-0123456789abcdef';
process.env.TEST_TOKEN_BOB = 'bob-0123456789abcdefgh';
const ALICE = process.env.TEST_TOKEN_ALICE;
const BOB = process.env.TEST_TOKEN_BOB;
const OPEN_FILES = 1024;

let folder;
let server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-shares-'));
  writeFileSync(join(folder, 'numbers.csv'), `n\n${Array.from({ length: 5_000 }, (_, i) => i).join('\n')}\n`);
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, `server:
  http: "127.0.0.1:0"
  tokens: [ { name: alice, env: TEST_TOKEN_ALICE }, { name: bob, env: TEST_TOKEN_BOB } ]
collections: [ { name: data, path: ${folder} } ]
`);
  // Handles are open files, and a quarter of those that the process may have are for handles.
  server = await ServerProcess.listening('sh', ['-c', `ulimit -n ${OPEN_FILES}; exec "$0" "$@"`, binary('SLUICE'), 'serve', config, '--profile', 'full']);
});
after(async () => {
  const end = await server.stop();
  assert.equal(end.code, 0, server.log.join('\n'));
  rmSync(folder, { recursive: true });
});

async function call(token, name, args, signal) {
  const message = modernRequest(1, 'tools/call', { name, arguments: args });
  const headers = { ...modernHeaders(message), authorization: `Bearer ${token}` };
  const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(message), signal });
  return response.json();
}

const answerOf = ({ result, error }) => {
  assert.ok(result && !result.isError, JSON.stringify(result ?? error));
  return JSON.parse(result.content[0].text);
};

test('70 heavy statements of one caller leave the questions of another quick', async (t) => {
  const quick = { dataset: 'numbers', filters: [{ col: 'n', op: 'eq', value: 7 }] };
  answerOf(await call(BOB, 'query_data', quick));  // What is found out once about a file.
  const stop = new AbortController();
  const sql = 'SELECT count(*) FROM data a, data b, data c WHERE a.n * 31 + b.n * 17 = c.n * 7.5';
  let ended = 0;
  const heavy = Array.from({ length: 70 }, (_, i) => call(ALICE, 'advanced_query', { dataset: 'numbers', sql: `${sql} + ${i}`, confirm: true }, stop.signal)
    .catch(() => {}).then(() => ++ended));
  await until('all have been sent', () => server.openSockets() > heavy.length);
  let slowest = 0;
  for (let i = 0; i < 5; ++i) {
    const begin = performance.now();
    assert.deepEqual(answerOf(await call(BOB, 'query_data', { ...quick, filters: [{ col: 'n', op: 'eq', value: i }] })).data, [{ n: i }]);
    slowest = Math.max(slowest, performance.now() - begin);
  }
  t.diagnostic(`the slowest of five took ${slowest.toFixed(0)} ms`);
  assert.equal(ended, 0, 'the heavy statements were still running');
  assert.ok(slowest < 5_000, `${slowest}`);
  stop.abort();
  await Promise.all(heavy);
});

test('300 results of one caller leave the result of another', async () => {
  const whole = { dataset: 'numbers', max_rows: 10 };
  const theirs = answerOf(await call(BOB, 'query_data', whole));
  let first;
  for (let i = 0; i < 300; i += 10) {
    const some = await Promise.all(Array.from({ length: 10 }, (_, j) => call(ALICE, 'query_data', { ...whole, filters: [{ col: 'n', op: 'gte', value: i + j }] })));
    first ??= answerOf(some[0]);
    some.forEach(answerOf);
  }
  const page = (token, one) => call(token, 'query_next_page', { result_handle: one.result_handle, page_token: one.page_info.page_token });
  assert.ok(answerOf(await page(BOB, theirs)).data.length > 0, 'it is still there');
  assert.equal(JSON.parse((await page(ALICE, first)).result.content[0].text).code, 'unknown_handle');
});
