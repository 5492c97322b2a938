// The record store: what a durable change, a batch, a page and the newest of a long history take.
import { execFile } from 'node:child_process';
import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { markdown, median, number, targetText, verdict } from './table.mjs';
import { ToolClient } from './tool_client.mjs';

const ADDITIONS = 41;
const LARGE_ADDITIONS = 15;
const PAGES = 21;
const BATCH = 10_000;
const BATCHES = 5;
const HISTORY = 1_000_000;
const LINE_BYTES = 1_000;
const POLL_MS = 20;
const SETTLE_MS = 500;
const FOLD_MS_MAX = 60_000;

async function times(count, action) {
  const out = [];
  for (let i = 0; i < count; ++i) out.push((await action(i)).ms);
  return out;
}

function record(i) {
  return {
    title: `Batch ${i}`, status: 'open', due: '2026-01-15', priority: i % 5, amount: i * 0.5, text_0: 'some text', text_1: 'more',
    number_0: i, number_1: i % 7,
  };
}

export class RecordsBench {
  constructor({ build, say }) {
    this.say = say;
    this.data = path.join(build, 'bench/data');
    this.programs = { sluice: path.join(build, 'sluice'), data: path.join(build, 'bench/bench_data') };
    this.folder = path.join(this.data, 'store');
  }

  // A store of its own, as the data was made.
  async makeStore() {
    await promisify(execFile)(this.programs.data, [this.data]);
    rmSync(this.folder, { recursive: true, force: true });
    for (const name of ['tasks', 'histories']) {
      mkdirSync(path.join(this.folder, name), { recursive: true });
      copyFileSync(path.join(this.data, `records/${name}.parquet`), path.join(this.folder, `${name}/${name}.parquet`));
    }
    const file = path.join(this.data, 'records.yaml');
    writeFileSync(file, `records: { path: ${this.folder}, writable: true }\n`);
    return file;
  }

  // Until what an action has written is in its file: writing that takes both processors, and would be measured otherwise.
  async untilFolded(name, action) {
    const file = path.join(this.folder, `${name}/${name}.parquet`);
    const before = statSync(file).ino;
    await action();
    for (let waited = 0; statSync(file).ino === before; waited += POLL_MS) {
      if (waited > FOLD_MS_MAX) throw new Error(`${name} was not written into its file`);
      await sleep(POLL_MS);
    }
    await sleep(SETTLE_MS);
  }

  // What the disk takes for as much as a commit writes.
  syncs() {
    const file = openSync(path.join(this.folder, 'sync-alone'), 'a');
    const out = [];
    for (let i = 0; i < ADDITIONS; ++i) {
      const begin = performance.now();
      writeSync(file, 'x'.repeat(LINE_BYTES));
      fsyncSync(file);
      out.push(performance.now() - begin);
    }
    closeSync(file);
    return out;
  }

  async run() {
    this.say('records');
    const tools = new ToolClient(this.programs.sluice, await this.makeStore());
    try {
      const add = data_type => tools.call('add_record', { data_type, record: { title: 'New', status: 'open', amount: 2.5 } });
      const page = () => tools.call('read_parquet', { data_type: 'tasks', limit: 1000 });
      await this.untilFolded('tasks', () => add('tasks'));
      const pages = await times(PAGES, page);
      const small = await times(ADDITIONS, () => add('tasks'));
      const sync = this.syncs();
      const records = Array.from({ length: BATCH }, (_, i) => record(i));
      const batches = await times(BATCHES, () => tools.call('add_records', { data_type: 'tasks', records }));
      await this.untilFolded('tasks', () => add('tasks'));
      this.say('records: a million rows');
      await this.untilFolded('histories', () => add('histories'));
      const large = await times(LARGE_ADDITIONS, () => add('histories'));
      await this.untilFolded('histories', () => add('histories'));
      this.say('records: a history of a million entries');
      await tools.call('create_data_type', { data_type: 'events', schema: { event_id: 'string', text: 'string' } });
      const events = Array.from({ length: BATCH }, (_, i) => ({ text: `event ${i}` }));
      for (let i = 0; i < HISTORY / BATCH; ++i) await tools.call('add_records', { data_type: 'events', records: events });
      const audit = await times(PAGES, () => tools.call('read_audit_log', { data_type: 'events', limit: 100 }));
      return { small, large, sync, batches, pages, audit };
    } finally {
      await tools.stop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

export function recordsTable({ small, large, sync, batches, pages, audit }) {
  const row = (what, target, ours, beside) => [what, targetText(target), number(ours), number(beside), verdict(target, ours)];
  const rows = [
    row('`add_record`, durable, 16,000 × 43, ms (beside it: write and sync alone)', { atMost: 15 }, median(small), median(sync)),
    row('`add_record`, durable, 1,000,000 × 43, ms (beside it: 16,000)', { atMost: 150 }, median(large), median(small)),
    row('`add_records`, 10,000 at once, records/s', { atLeast: 50_000 }, BATCH / (median(batches) / 1000)),
    row('`read_parquet`, page of 1,000 of 16,000 × 43, ms', { atMost: 10 }, median(pages)),
    row('`read_audit_log`, newest 100 of 1,000,000, ms', { atMost: 20 }, median(audit)),
  ];
  const head = ['Measured', 'Target', 'Sluice', 'Beside it', 'Verdict'];
  return markdown([head, ['---', '--:', '--:', '--:', '---'], ...rows]);
}
