// Data types of a record store as tables: the tools over datasets reach them, alone and together with other sources.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { connect, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const EXAMPLE = fileURLToPath(new URL('../../examples/records/data', import.meta.url));
const CASES = fileURLToPath(new URL('../data/parquet-records/cases.parquet', import.meta.url));

function storeOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-record-queries-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(EXAMPLE, join(folder, 'data'), { recursive: true });
  return folder;
}

async function served(t, folder, config = 'records: { path: data, writable: true }\n', name = 'sluice.yaml') {
  writeFileSync(join(folder, name), config);
  const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, name), '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return (await connect(t, modernClient({ capabilities: {} }), { sdk: 'modern', transport: 'http', server })).client;
}

async function text(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, result.content[0].text);
  return result.content[0].text;
}
const query = (client, sql, more = {}) => text(client, 'query', { sql, ...more });
const answer = async (client, name, args) => JSON.parse(await text(client, name, args));
async function refusal(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, `answered: ${result.content[0].text}`);
  return JSON.parse(result.content[0].text);
}

describe('a data type of a record store', () => {
  it('is a table of the lean tools, beside the record tools', async (t) => {
    const client = await served(t, storeOf(t));
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    for (const name of ['catalog', 'describe', 'query', 'get_schema', 'read_parquet', 'add_record']) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('query_data'));
    assert.match(await text(client, 'catalog', {}), /^records\.tasks 3: task_id, title, status, due date, priority int -- Things to do$/m);
    assert.match(await text(client, 'describe', { datasets: ['tasks'] }), /priority int/);
    assert.match(client.getInstructions(), /records\.tasks \(3 rows\): task_id, title/);
    const expected = 'status,n\ndone,1\nopen,2\n';
    for (const table of ['records.tasks', 'tasks', '"records/tasks"', '"parquet://data_types/tasks"']) {
      assert.equal(await query(client, `SELECT status, count(*) AS n FROM ${table} GROUP BY 1 ORDER BY 1`), expected);
    }
    assert.equal(await query(client, 'SELECT data_type, count(*) AS n FROM records GROUP BY 1'), 'data_type,n\ntasks,3\n');
  });

  it('is read as it was after an operation, alone and joined with itself', async (t) => {
    const folder = storeOf(t);
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/labels.csv'), 'status,label\nopen,to do\n');
    const client = await served(t, folder, 'collections: [ { path: files } ]\nrecords: { path: data, writable: true }\ntools: { profile: all }\n');
    // The records after each operation, as the record tools show them.
    const states = [];
    const shown = 'SELECT task_id, title, status FROM TABLE ORDER BY task_id';
    const state = async () => {
      const rows = (await answer(client, 'read_parquet', { data_type: 'tasks', sort_by: [{ column: 'task_id' }] })).data;
      const lines = rows.map((row) => [row.task_id, row.title ?? '', row.status ?? ''].map((cell) => (/[",]/.test(cell) ? `"${cell}"` : cell)).join(','));
      return `task_id,title,status\n${lines.map((line) => `${line}\n`).join('')}`;
    };
    states.push(await state());
    for (let i = 1; i <= 12; ++i) {
      if (i % 4 === 1) await answer(client, 'add_record', { data_type: 'tasks', record: { task_id: `n-${i}`, title: `New ${i}`, status: 'open' } });
      if (i % 4 === 2) await answer(client, 'update_records', { data_type: 'tasks', filters: { status: 'open' }, updates: { title: `Changed ${i}` } });
      if (i % 4 === 3) await answer(client, 'delete_records', { data_type: 'tasks', filters: { task_id: `n-${i - 2}` } });
      if (i % 4 === 0) await answer(client, 'add_record', { data_type: 'tasks', record: { task_id: `m-${i}`, title: `More, ${i}`, status: 'done' } });
      states.push(await state());
    }
    assert.equal(new Set(states).size, states.length);
    for (let round = 0; round < 2; ++round) {
      for (const [version, expected] of states.entries()) {
        for (const name of ['tasks', 'records.tasks', '"records/tasks"']) {
          const sql = shown.replace('TABLE', `${name} AT (VERSION => ${version})`);
          assert.equal(await query(client, sql), expected, sql);
        }
      }
    }
    assert.equal(await query(client, shown.replace('TABLE', 'tasks')), states.at(-1));
    // Computed as a whole where the records are, read for the engine of the files, and kept as a result.
    const count = (version) => states[version].split('\n').length - 2;
    for (const version of [0, 3, 7]) {
      assert.equal(await query(client, `SELECT count(*) AS n FROM tasks AT (VERSION => ${version})`), `n\n${count(version)}\n`);
      assert.equal(
        await query(client, `SELECT count(*) AS n, count(label) AS labels FROM tasks t AT (VERSION => ${version}) LEFT JOIN labels USING (status)`),
        `n,labels\n${count(version)},${states[version].match(/,open$/gm).length}\n`,
      );
    }
    // Two versions in one statement are two tables, and so is the present state.
    assert.equal(
      await query(client, 'SELECT a.task_id FROM tasks a AT (VERSION => 5) ANTI JOIN tasks b AT (VERSION => 4) USING (task_id)'),
      'task_id\nn-5\n',
    );
    assert.equal(await query(client, 'SELECT count(*) AS n FROM tasks a ANTI JOIN tasks b AT (VERSION => 12) USING (task_id)'), 'n\n0\n');
    await text(client, 'query', { sql: 'SELECT * FROM tasks AT (VERSION => 2)', name: 'older' });
    await answer(client, 'delete_records', { data_type: 'tasks', filters: {}, all_rows: true });
    assert.equal(await query(client, shown.replace('TABLE', 'older')), states[2]);
    assert.equal(await query(client, shown.replace('TABLE', 'tasks AT (VERSION => 12)')), states[12]);
  });

  it('has no versions that never were, and other tables have none', async (t) => {
    const folder = storeOf(t);
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/labels.csv'), 'status,label\nopen,to do\n');
    const client = await served(t, folder, 'collections: [ { path: files } ]\nrecords: { path: data, writable: true }\n');
    await query(client, 'SELECT 1 AS n', { name: 'one' });
    for (const [sql, code] of [
      ['FROM tasks AT (VERSION => 1)', 'unknown_version'],
      ['FROM tasks AT (VERSION => 9223372036854775807)', 'unknown_version'],
      ['FROM tasks AT (VERSION => -1)', 'unsupported_clause'],
      ['FROM tasks AT (VERSION => 99999999999999999999)', 'unsupported_clause'],
      ['FROM tasks AT (VERSION => 0.5)', 'unsupported_clause'],
      ['FROM tasks AT (VERSION => NULL)', 'unsupported_clause'],
      ['FROM tasks at (version => true)', 'unsupported_clause'],
      ["FROM tasks AT (VERSION => '0')", 'unsupported_clause'],
      ['FROM tasks AT (VERSION => 1 - 1)', 'unsupported_clause'],
      ['FROM tasks AT (VERSION => (SELECT 0))', 'unsupported_clause'],
      ["FROM tasks AT (TIMESTAMP => TIMESTAMP '2024-01-01')", 'unsupported_clause'],
      ['FROM records AT (VERSION => 0)', 'unsupported_clause'],
      ['FROM labels AT (VERSION => 0)', 'unsupported_clause'],
      ['FROM one AT (VERSION => 0)', 'unsupported_clause'],
      ['WITH w AS (FROM tasks) FROM w AT (VERSION => 0)', 'unsupported_clause'],
      ['FROM taks AT (VERSION => 0)', 'dataset_not_found'],
    ]) {
      assert.equal((await refusal(client, 'query', { sql })).code, code, sql);
    }
    assert.equal(await query(client, 'WITH w AS (SELECT count(*) AS n FROM tasks AT (VERSION => 0)) FROM w'), 'n\n3\n');
  });

  it('shows each change at once: records, columns, and the data type itself', async (t) => {
    const client = await served(t, storeOf(t));
    assert.equal(await query(client, 'SELECT count(*) AS n FROM tasks'), 'n\n3\n');
    await answer(client, 'add_record', { data_type: 'tasks', record: { title: 'New', mood: 'good' } });
    assert.equal(await query(client, 'SELECT title, mood FROM tasks WHERE mood IS NOT NULL'), 'title,mood\nNew,good\n');
    assert.match(await text(client, 'catalog', {}), /^records\.tasks 4: .*mood/m);
    await answer(client, 'create_data_type', { data_type: 'Notes-2024.x', schema: { body: 'string' } });
    assert.equal(await query(client, 'SELECT count(*) AS n FROM records."Notes-2024.x"'), 'n\n0\n');
    assert.equal(await query(client, 'SELECT count(*) AS n FROM notes_2024_x'), 'n\n0\n');
    assert.match(await text(client, 'catalog', {}), /^records\.Notes_2024_x 0: body/m);
  });

  it('is joined with a file and with a table of a database', async (t) => {
    const folder = storeOf(t);
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/labels.csv'), 'status,label\nopen,to do\ndone,over\n');
    const database = new DatabaseSync(join(folder, 'people.db'));
    database.exec("CREATE TABLE owners(task_id TEXT, name TEXT); INSERT INTO owners VALUES ('task-001', 'Ann'), ('task-003', 'Bob')");
    database.close();
    const client = await served(t, folder, `collections: [ { path: files } ]
databases: [ { name: people, url: "sqlite:people.db" } ]
records: { path: data, writable: true }
`);
    const sql = `SELECT t.task_id, label, coalesce(name, '-') AS owner FROM records.tasks t JOIN labels USING (status)
                 LEFT JOIN people.owners o USING (task_id) ORDER BY 1`;
    assert.equal(await query(client, sql), 'task_id,label,owner\ntask-001,to do,Ann\ntask-002,over,-\ntask-003,to do,Bob\n');
    await answer(client, 'update_records', { data_type: 'tasks', filters: { task_id: 'task-001' }, updates: { status: 'done' } });
    assert.equal(await query(client, sql), 'task_id,label,owner\ntask-001,over,Ann\ntask-002,over,-\ntask-003,to do,Bob\n');
  });

  it('is a dataset of the full profile, with estimates, pages and a handle', async (t) => {
    const client = await served(t, storeOf(t), 'records: { path: data, writable: true }\ntools: { profile: full }\n');
    const records = Array.from({ length: 3000 }, (_, i) => ({ task_id: `n-${String(i).padStart(4, '0')}`, title: `Number ${i}`, priority: i }));
    await answer(client, 'add_records', { data_type: 'tasks', records });
    const groups = await answer(client, 'aggregate', { data_type: 'tasks', group_by: ['status'], aggs: [{ fn: 'count' }], order_by: ['status'] });
    assert.deepEqual(groups.data, [{ status: 'done', count: 1 }, { status: 'open', count: 2 }, { status: null, count: 3000 }]);
    const estimate = await answer(client, 'estimate_query', { dataset: 'records/tasks', filters: [{ col: 'priority', op: 'gte', value: 2000 }] });
    assert.equal(estimate.row_estimate, 1000);
    const first = await answer(client, 'query_data', { dataset: 'records/tasks', columns: ['title', 'priority'] });
    assert.equal(first.row_count, 3003);
    // The handle keeps the rows that it was made of.
    await answer(client, 'delete_records', { data_type: 'tasks', filters: { priority: { $gte: 0 } } });
    const titles = [];
    for (let token = first.page_info.page_token; ;) {
      const page = await answer(client, 'query_next_page', { result_handle: first.result_handle, page_token: token });
      titles.push(...page.data.map((row) => row.title));
      if (!page.page_info.has_more) break;
      token = page.page_info.page_token;
    }
    assert.equal(titles.length, 3003);
    assert.deepEqual(titles.slice(3, 5), ['Number 0', 'Number 1']);
    assert.equal((await answer(client, 'get_schema', { data_type: 'tasks' })).data_type, 'tasks');
    assert.match(JSON.stringify(await answer(client, 'get_schema', { dataset: 'records/tasks' })), /parquet:\/\/schemas\/tasks/);
  });

  it('is read in one state while another process changes it', async (t) => {
    const folder = storeOf(t);
    const writer = await served(t, folder);
    const reader = await served(t, folder, 'records: { path: data }\n', 'reader.yaml');
    await answer(writer, 'add_records', { data_type: 'tasks', records: Array.from({ length: 50 }, (_, i) => ({ task_id: `m-${i}`, status: 'moving', priority: 0 })) });
    assert.equal(await query(reader, "SELECT count(*) AS n FROM tasks WHERE status = 'moving'"), 'n\n50\n');
    let written = 0;
    let done = false;
    const writing = (async () => {
      for (let round = 1; round <= 40; ++round) {
        await answer(writer, 'update_records', { data_type: 'tasks', filters: { status: 'moving' }, updates: { priority: round } });
        written = round;
      }
      done = true;
    })();
    let seen = 0;
    let asked = 0;
    while (!done || asked < 20) {
      const least = written;
      const line = (await query(reader, `SELECT count(*) AS n, count(DISTINCT a.priority) AS states, min(a.priority) AS state, count(DISTINCT b.priority) AS others
        FROM records.tasks a JOIN tasks b USING (task_id) WHERE a.status = 'moving' AND a.priority = b.priority`)).split('\n')[1];
      const [n, states, state, others] = line.split(',').map(Number);
      assert.deepEqual([n, states, others], [50, 1, 1]);
      assert.ok(state >= least && state >= seen, `${state} after ${least} was acknowledged and ${seen} was seen`);
      seen = state;
      ++asked;
    }
    await writing;
    await answer(writer, 'create_data_type', { data_type: 'later', schema: { x: 'integer' } });
    await until('the reader to have the new data type', async () => /records\.later/.test(await text(reader, 'catalog', {})));
  });

  it('that is damaged fails alone and says why', async (t) => {
    const folder = storeOf(t);
    mkdirSync(join(folder, 'data/cases'));
    cpSync(CASES, join(folder, 'data/cases/cases.parquet'));
    mkdirSync(join(folder, 'data/bad'));
    writeFileSync(join(folder, 'data/bad/bad.parquet'), readFileSync(join(folder, 'data/tasks/tasks.parquet')).subarray(0, 300));
    const client = await served(t, folder);
    const error = await refusal(client, 'query', { sql: 'SELECT * FROM records.bad' });
    assert.equal(error.code, 'unreadable_file');
    assert.match(error.error, /bad/);
    assert.doesNotMatch(JSON.stringify(error), /sluice-record-queries|\/proc\//);
    assert.match(await text(client, 'catalog', {}), /^records\.bad \? unreadable: /m);
    assert.equal(await query(client, 'SELECT count(*) AS n FROM tasks'), 'n\n3\n');
    assert.equal(await query(client, 'SELECT * FROM records.cases'), 'id,Name,NAME_1,name_2\n1,x,y,z\n');
  });
});
