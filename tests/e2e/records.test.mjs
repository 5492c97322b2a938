// `sluice serve` over a record store, used by the official clients: changes, crashes of the whole program, and files that an
// independent reader opens.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { npmFile } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const EXAMPLE = fileURLToPath(new URL('../../examples/records/data', import.meta.url));
const { parquetReadObjects } = await import(npmFile('hyparquet/src/node.js'));

function storeOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-records-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(EXAMPLE, join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'sluice.yaml'), 'records: { path: data, writable: true }\n');
  return folder;
}

async function serve(t, folder) {
  const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, 'sluice.yaml'), '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return server;
}

async function answer(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const object = JSON.parse(result.content[0].text);
  assert.ok(!result.isError, result.content[0].text);
  assert.deepEqual(result.structuredContent, object);
  return object;
}

// As a reader finds the file that knows nothing of this program. Days and big integers as JSON has them.
// At once: a file is replaced as a whole, and a reader that opens it again by its name may find the next one.
function wholeFile(path) {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

async function readAlone(folder, type = 'tasks') {
  const file = wholeFile(join(folder, `data/${type}/${type}.parquet`));
  const rows = await parquetReadObjects({ file });
  const plain = (value) => {
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof Date) return value.toISOString().slice(0, 10);
    return value;
  };
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])));
}

function withNulls(rows, columns) {
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
}

describe('a record store', () => {
  for (const sdk of ['modern', 'legacy']) {
    it(`is changed and undone by a client of the ${sdk} era`, async (t) => {
      const server = await serve(t, storeOf(t));
      const { client } = await connect(t, sdk === 'modern' ? modernClient() : legacyClient(), { sdk, transport: 'http', server });
      assert.deepEqual((await answer(client, 'list_data_types', {})).data_types, ['tasks']);
      const added = await answer(client, 'add_record', { data_type: 'tasks', record: { title: 'Fix the door', priority: 2 } });
      assert.equal(added.total_records, 4);
      const resource = await client.readResource({ uri: 'parquet://data_types/tasks' });
      const collection = JSON.parse(resource.contents[0].text);
      assert.equal(collection.total_rows, 4);
      assert.equal(collection.data[3].title, 'Fix the door');
      await answer(client, 'rollback_operation', { audit_id: added.audit_id });
      const log = await answer(client, 'read_audit_log', {});
      assert.deepEqual(log.data.map((entry) => entry.operation), ['delete', 'add']);
    });
  }

  it('writes files that another reader opens, with the same values', async (t) => {
    const folder = storeOf(t);
    const server = await serve(t, folder);
    const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
    const records = Array.from({ length: 200 }, (_, i) => ({ title: `Number ${i} é ջ`, status: i % 2 ? 'open' : null, due: '2026-02-03', priority: i }));
    await answer(client, 'add_records', { data_type: 'tasks', records });
    await answer(client, 'update_records', { data_type: 'tasks', filters: { priority: { $gt: 150 } }, updates: { status: 'late' } });
    await answer(client, 'delete_records', { data_type: 'tasks', filters: { title: { $regex: '^number 1\\d ' } } });
    const { data } = await answer(client, 'read_parquet', { data_type: 'tasks', limit: 1000 });
    assert.equal(data.length, 193);
    await until('the file to have the changes', async () => (await readAlone(folder)).length === 193);
    const columns = ['task_id', 'title', 'status', 'due', 'priority'];
    assert.deepEqual(withNulls(await readAlone(folder), columns), withNulls(data, columns));
    const path = join(folder, 'data/logs/audit_log.parquet');
    await until('the audit log to be exported', () => existsSync(path));
    const entries = await parquetReadObjects({ file: wholeFile(path) });
    assert.deepEqual(Object.keys(entries[0]), ['audit_id', 'timestamp', 'operation', 'data_type', 'record_id', 'affected_fields',
      'old_values', 'new_values', 'user', 'snapshot_reference', 'notes']);
  });

  it('has everything that it acknowledged after it was killed', async (t) => {
    const folder = storeOf(t);
    const acknowledged = [];
    for (let round = 0; round < 3; ++round) {
      const server = await serve(t, folder);
      const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
      const { data } = await answer(client, 'read_parquet', { data_type: 'tasks', limit: 1000 });
      assert.deepEqual(acknowledged.filter((id) => !data.some((row) => row.task_id === id)), []);
      assert.equal(new Set(data.map((row) => row.task_id)).size, data.length);
      for (let i = 0; i < 5; ++i) {
        const added = await answer(client, 'add_record', { data_type: 'tasks', record: { title: `Round ${round}` } });
        acknowledged.push(added.added_record.task_id);
      }
      server.child.kill('SIGKILL');
      await server.exited;
    }
    assert.deepEqual(readdirSync(join(folder, 'data')).includes('_journal'), true);
  });
});
