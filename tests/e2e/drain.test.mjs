// How a server leaves: not ready first, then no new connections, then what is under way comes to its end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ada, folderOf, rowsCsv, serve } from './exports.mjs';

async function served(t, server) {
  return serve(t, folderOf(t, { 'sales.csv': rowsCsv(3_000) }), { server, lines: 'rest: {}' });
}

const status = async (server, path) => (await fetch(new URL(path, server.url), { headers: { Connection: 'close' } })).status;

async function until(look) {
  const end = Date.now() + 10_000;
  while (!(await look())) {
    assert.ok(Date.now() < end, 'it does not come in time');
    await new Promise(setImmediate);  // Others have to run for it to come.
  }
}

describe('a server that is told to end', () => {
  it('is ready once its folders are read', async (t) => {
    const server = await served(t);
    await until(async () => (await status(server, '/readyz')) === 200);
  });

  it('serves for a while and says that it is not ready, then ends with 0', async (t) => {
    const server = await served(t, 'drain: 2s');
    await until(async () => (await status(server, '/readyz')) === 200);
    const begin = Date.now();
    server.child.kill('SIGTERM');
    await until(async () => (await status(server, '/readyz')) === 503);
    assert.equal(await status(server, '/healthz'), 200);
    const rows = await fetch(new URL('/api/v1/query?sql=SELECT+count(*)+AS+n+FROM+sales', server.url), { headers: ada });
    assert.equal(await rows.text(), 'n\n3000\n');
    assert.deepEqual(await server.exited, { code: 0, signal: null });
    assert.ok(Date.now() - begin >= 1_900, `${Date.now() - begin} ms`);
  });

  it('lets a response that is being read come to its end', async (t) => {
    const server = await served(t, 'grace: 20s');
    const answer = await fetch(new URL('/api/v1/query?sql=SELECT+a.id,b.id+AS+other+FROM+sales+a,sales+b+WHERE+b.id<200', server.url), { headers: ada });
    const reader = answer.body.getReader();
    let bytes = (await reader.read()).value.length;
    server.child.kill('SIGTERM');
    await until(async () => server.log.some((line) => line.includes('server.stopping')));
    await assert.rejects(fetch(new URL('/healthz', server.url), { headers: { Connection: 'close' } }));
    let text = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.length;
      text = Buffer.from(piece.value).toString();
    }
    assert.ok(text.endsWith('\n'));
    assert.ok(bytes > 3_000_000, `${bytes}`);
    assert.deepEqual(await server.exited, { code: 0, signal: null });
  });

  it('does not wait where nobody asks whether it is ready, and ends immediately at a second signal', async (t) => {
    const quick = await served(t);
    const begin = Date.now();
    quick.child.kill('SIGTERM');
    assert.deepEqual(await quick.exited, { code: 0, signal: null });
    assert.ok(Date.now() - begin < 3_000, `${Date.now() - begin} ms`);
    const slow = await served(t, 'drain: 60s');
    slow.child.kill('SIGTERM');
    await until(async () => slow.log.some((line) => line.includes('server.draining')));
    slow.child.kill('SIGTERM');
    assert.deepEqual(await slow.exited, { code: null, signal: 'SIGTERM' });
  });
});
