// `sluice serve sluice.yaml` while its configuration changes, used by an official client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, legacyClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
// Until then memory that was freed may not be used again: a sanitizer keeps 256 MB of it aside.
const WARM_UPS = 12;
const ONE = 'collections: [ { path: one } ]\n';
const BOTH = 'collections: [ { path: one }, { path: two } ]\n';

// A folder with two collections, served; and a client that notes what it hears.
class Served {
  static async start(t, text = ONE, profile = 'full') {
    const served = new Served();
    served.folder = mkdtempSync(join(tmpdir(), 'sluice-reload-'));
    for (const name of ['one', 'two']) mkdirSync(join(served.folder, name));
    writeFileSync(join(served.folder, 'one/a.csv'), `x\n${[...Array(5000).keys()].join('\n')}\n`);
    writeFileSync(join(served.folder, 'two/b.csv'), 'y\n1\n');
    served.save(text);
    served.server = await ServerProcess.listening(SLUICE, ['serve', served.file, '--profile', profile, '--http', '127.0.0.1:0']);
    t.after(async () => {
      const end = await served.server.stop();
      rmSync(served.folder, { recursive: true });
      assert.equal(end.code, 0, served.server.log.join('\n'));
    });
    const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server: served.server });
    served.client = client;
    served.heard = [];
    client.fallbackNotificationHandler = async ({ method, params }) => served.heard.push(params?.uri ?? method);
    return served;
  }

  get file() {
    return join(this.folder, 'sluice.yaml');
  }
  save(text) {
    writeFileSync(this.file, text);
  }
  // As editors do.
  replace(text) {
    writeFileSync(`${this.file}.tmp`, text);
    renameSync(`${this.file}.tmp`, this.file);
  }

  events(event) {
    return this.server.log.map((line) => JSON.parse(line)).filter((entry) => entry.event === event);
  }
  event(event, count = 1) {
    return until(`${event} is logged ${count} times`, () => this.events(event).length >= count && this.events(event).at(-1));
  }

  async call(name, args = {}) {
    const result = await this.client.callTool({ name, arguments: args });
    return result.isError ? JSON.parse(result.content[0].text) : result.structuredContent;
  }
  async datasets() {
    return JSON.stringify(await this.call('get_catalog'));
  }
}

describe('a configuration that changes', () => {
  it('adds a collection, removes it, and says so', async (t) => {
    const served = await Served.start(t);
    assert.doesNotMatch(await served.datasets(), /two/);
    served.save(BOTH);
    await served.event('config.reloaded');
    assert.match(await served.datasets(), /two/);
    await until('the lists are told of', () =>
      ['tools', 'resources', 'prompts'].every((list) => served.heard.includes(`notifications/${list}/list_changed`)));
    served.replace(ONE);
    await served.event('config.reloaded', 2);
    assert.doesNotMatch(await served.datasets(), /two/);
  });

  it('is left aside while it is not valid, and taken once it is repaired', async (t) => {
    const served = await Served.start(t, BOTH);
    served.save('collections: [ { path: one, nme: x } ]\n');
    assert.match((await served.event('config.rejected')).reason, /sluice\.yaml:1: .*nme: unknown key; did you mean name\?/);
    assert.equal(served.events('config.rejected')[0].level, 'warning');
    served.replace('collections: [ { path: elsewhere } ]\n');
    await served.event('config.rejected', 2);
    served.replace(`${ONE}server: [\n`);
    assert.match((await served.event('config.rejected', 3)).reason, /not valid YAML/);
    assert.match(await served.datasets(), /two/);
    served.replace(ONE);
    await served.event('config.reloaded');
    assert.doesNotMatch(await served.datasets(), /two/);
  });

  it('leaves handles, subscriptions and sessions as they are', async (t) => {
    const served = await Served.start(t, `${ONE}files: [ { path: one } ]\n`);
    await served.client.subscribeResource({ uri: 'file:///a.csv' });
    const first = await served.call('query_data', { dataset: 'a', max_rows: 10 });
    assert.equal(first.row_count, 5000, JSON.stringify(first));
    served.save(`${BOTH}files: [ { path: one } ]\n`);
    await served.event('config.reloaded');
    const next = await served.call('query_next_page', { result_handle: first.result_handle, page_token: first.page_info.page_token });
    assert.match(JSON.stringify(next), /\{"x":0\},\{"x":1\}/);
    assert.match((await served.client.readResource({ uri: first.resource_uri })).contents[0].text, /\n2000\n/);
    served.heard.length = 0;
    writeFileSync(join(served.folder, 'one/a.csv'), 'x\n7\n');
    await until('the file is told of', () => served.heard.includes('file:///a.csv'));
  });

  it('leaves the names of results as they are, those of a session to that session', async (t) => {
    const served = await Served.start(t, ONE, 'lean');
    const query = async (client, args) => (await client.callTool({ name: 'query', arguments: args })).content[0].text;
    assert.match(await query(served.client, { sql: 'FROM a', name: 'mine', max_rows: 2 }), /^# 2 of 5,000 rows shown; all are in table mine /);
    assert.match(await query(served.client, { sql: 'SELECT x + 1 AS y FROM a', max_rows: 2 }), / in table r1 /);
    served.save(BOTH);
    await served.event('config.reloaded');
    assert.equal(await query(served.client, { sql: 'SELECT count(*) AS n, max(y) AS m FROM mine, r1 WHERE x = y' }), 'n,m\n4999,4999\n');
    assert.match(await query(served.client, { sql: 'SELECT x + 2 AS z FROM a', max_rows: 2 }), / in table r2 /);
    const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server: served.server });
    assert.match(await query(client, { sql: 'FROM mine' }), /dataset_not_found/);
  });

  it('says what only a restart can change, and takes the rest', async (t) => {
    const served = await Served.start(t);
    served.save(`${BOTH}server: { request_timeout: 5s }\nlimits: { max_rows: 3 }\nspool: { ttl: 2m }\n`);
    await served.event('config.reloaded');
    assert.deepEqual(served.events('config.needs_restart').map((entry) => entry.section), ['server', 'limits', 'spool']);
    assert.match(await served.datasets(), /two/);
    assert.equal((await served.call('diagnose')).limits.max_rows, 5000);
  });

  it('keeps the record store that is open', async (t) => {
    const served = await Served.start(t, ONE);
    mkdirSync(join(served.folder, 'records'));
    served.save(`${ONE}records: { path: records, writable: true }\n`);
    await served.event('config.reloaded');
    const { tools } = await served.client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_data_types'));
    served.save(`${BOTH}records: { path: records, writable: false }\n`);
    await served.event('config.reloaded', 2);
    assert.equal(served.events('config.needs_restart').at(-1).section, 'records');
    const after = (await served.client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(after.filter((name) => /record/.test(name)), tools.map(({ name }) => name).filter((name) => /record/.test(name)));
  });
});

describe('a configuration file that is not what it should be', () => {
  it('changes nothing: empty, a folder, too large, a pipe, gone, a link to itself; and is taken when it is back', async (t) => {
    const served = await Served.start(t, BOTH);
    const refused = async (count, reason, act) => {
      rmSync(served.file, { recursive: true, force: true });
      act();
      assert.match((await served.event('config.rejected', count)).reason, reason);
      assert.match(await served.datasets(), /two/);
    };
    await refused(1, /is empty/, () => served.save(''));
    await refused(2, /not a file/, () => mkdirSync(served.file));
    await refused(3, /bytes in /, () => served.save('#'.repeat(2 * 1024 * 1024)));
    await refused(4, /not a file/, () => execFileSync('mkfifo', [served.file]));
    await refused(5, /No such file/, () => {});
    await refused(6, /open .*sluice\.yaml/, () => symlinkSync('sluice.yaml', served.file));
    rmSync(served.file);
    served.save(ONE);
    await served.event('config.reloaded');
    assert.doesNotMatch(await served.datasets(), /two/);
  });

  it('ends in its last state however often it changes, and does not grow', async (t) => {
    const served = await Served.start(t);
    await served.call('query_data', { dataset: 'a', max_rows: 10 });
    const round = async (from) => {
      for (let i = from; i < from + 100; ++i) {
        served.replace(i % 2 ? ONE : `${BOTH}# ${i}\n`);
        if (i % 5 === 0) await served.call('diagnose');
      }
      served.replace(`collections: [ { path: one, name: last-${from} }, { path: two } ]\n`);
      await until('the last is served', async () => (await served.datasets()).includes(`last-${from}/a`));
    };
    await round(0);
    const bytes = served.server.privateBytes();
    await round(100);
    assert.equal(served.events('config.rejected').length, 0);
    assert.ok(served.server.privateBytes() < bytes + 64 * 1024 * 1024, `${bytes} to ${served.server.privateBytes()}`);
  });

  it('lets a reload every second cost no threads, files or memory that stay', async (t) => {
    const served = await Served.start(t);
    const count = (what) => readdirSync(`/proc/${served.server.pid}/${what}`).length;
    const reload = async (count) => {
      served.replace(`${count % 2 ? BOTH : ONE}# ${count}\n`);
      await served.event('config.reloaded', count);
      // The whole answer: a result that is stored would keep a file open by design.
      const answer = await served.call('query_data', { dataset: count % 2 ? 'one/a' : 'a', limit: 10 });
      assert.equal(answer.result_handle, undefined, JSON.stringify(answer));
    };
    // The generation before may still be closing when a reload ends, so what remains is the least of several moments.
    const least = async (from, rounds) => {
      const least = { bytes: Infinity, files: Infinity, threads: Infinity };
      for (let i = from; i < from + rounds; ++i) {
        await reload(i);
        const now = { bytes: served.server.privateBytes(), files: count('fd'), threads: count('task') };
        for (const what of Object.keys(least)) least[what] = Math.min(least[what], now[what]);
      }
      return least;
    };
    for (let i = 1; i <= WARM_UPS - 4; ++i) await reload(i);
    const before = await least(WARM_UPS - 3, 4);
    for (let i = 1; i <= 4; ++i) await reload(WARM_UPS + i);
    const after = await least(WARM_UPS + 5, 4);
    const told = JSON.stringify({ before, after });
    assert.ok(after.bytes < before.bytes + 48 * 1024 * 1024, told);
    assert.ok(after.files < before.files + 8 && after.threads < before.threads + 8, told);
  });
});
