// Changes of files that the system does not tell of: more than its queue holds, and folders beyond the limit of watches.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { collect, connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const WATCHED = 40;
const QUEUE = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
const WAIT_MS = 20_000;

function served(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-watching-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (let i = 0; i < WATCHED; ++i) {
    mkdirSync(join(folder, `notes/f${i}`), { recursive: true });
    writeFileSync(join(folder, `notes/f${i}/note.txt`), `before ${i}`);
  }
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, 'files: [ { path: notes } ]\n');
  return { folder, config };
}

const uriOf = (i) => `file:///f${i}/note.txt`;

async function subscribed(t, sdk, server) {
  const way = { sdk };
  const { client } = await connect(t, sdk === 'modern' ? modernClient() : legacyClient(), { sdk, transport: 'http', server });
  const updates = collect(way, client, 'notifications/resources/updated');
  const uris = Array.from({ length: WATCHED }, (_, i) => uriOf(i));
  if (sdk === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
    assert.equal(subscription.honoredFilter.resourceSubscriptions.length, WATCHED);
  } else {
    for (const uri of uris) await client.subscribeResource({ uri });
  }
  const heard = () => uris.filter((uri) => updates.some((update) => update.uri === uri)).length;
  return { client, heard };
}

async function allAreHeard({ client, heard }) {
  await until('every subscribed file is heard of', () => heard() === WATCHED, WAIT_MS);
  const { contents } = await client.readResource({ uri: uriOf(7) });
  assert.equal(contents[0].text, 'after 7');
}

for (const sdk of ['modern', 'legacy']) {
  describe(`a subscriber of the ${sdk} era`, () => {
    test('misses nothing where the queue of changes overflows', async (t) => {
      const { folder, config } = served(t);
      const server = await ServerProcess.listening(SLUICE, ['serve', config, '--http', '127.0.0.1:0']);
      t.after(() => server.stop());
      const subscriber = await subscribed(t, sdk, server);
      process.kill(server.pid, 'SIGSTOP');
      try {
        const names = ['this.txt', 'that.txt'].map((name) => join(folder, 'notes/f0', name));
        writeFileSync(names[0], 'moved to and fro');
        for (let i = 0; i < QUEUE / 2 + 100; ++i) renameSync(names[i % 2], names[(i + 1) % 2]);  // Two changes each.
        for (let i = 0; i < WATCHED; ++i) writeFileSync(join(folder, `notes/f${i}/note.txt`), `after ${i}`);
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
      await allAreHeard(subscriber);
      // What it logs comes by another way, and may come later.
      await until('the queue is said to have overflowed', () => server.log.some((line) => line.includes('watch_rescans')));
    });

    test('misses nothing where no more folders can be watched, and the operator is told', async (t) => {
      const { folder, config } = served(t);
      const sanitizer = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':');
      const server = await ServerProcess.listening('env', [`LD_PRELOAD=${binary('SYSTEM_SHIM')}`, 'SHIM_INOTIFY_WATCHES=8',
        `ASAN_OPTIONS=${sanitizer}`, SLUICE, 'serve', config, '--http', '127.0.0.1:0']);
      t.after(() => server.stop());
      const subscriber = await subscribed(t, sdk, server);
      const warning = await until('it warns', () => server.log.find((line) => line.includes('watch_falls_back_to_polling')));
      assert.match(warning, /"level":"warning".*max_user_watches/);
      for (let i = 0; i < WATCHED; ++i) writeFileSync(join(folder, `notes/f${i}/note.txt`), `after ${i}`);
      await allAreHeard(subscriber);
    });
  });
}
