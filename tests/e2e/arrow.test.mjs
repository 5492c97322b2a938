// Results as Arrow files, read by Arrow's own JavaScript library: every type that is mapped, and what becomes text.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, modernClient } from './connection.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';

const arrow = npmPackage('apache-arrow');
const SLUICE = binary('SLUICE');

// Column, the engine's type, Arrow's type, and for each row the cell of the file and what is read back.
const COLUMNS = [
  ['i8', 'TINYINT', 'Int8', [['-128', -128], ['127', 127]]],
  ['i16', 'SMALLINT', 'Int16', [['-32768', -32768], ['32767', 32767]]],
  ['i32', 'INTEGER', 'Int32', [['-2147483648', -2147483648], ['7', 7]]],
  ['i64', 'BIGINT', 'Int64', [['-9223372036854775808', -9223372036854775808n], ['9007199254740993', 9007199254740993n]]],
  ['u8', 'UTINYINT', 'Uint8', [['255', 255], ['0', 0]]],
  ['u16', 'USMALLINT', 'Uint16', [['65535', 65535], ['1', 1]]],
  ['u32', 'UINTEGER', 'Uint32', [['4294967295', 4294967295], ['1', 1]]],
  ['u64', 'UBIGINT', 'Uint64', [['18446744073709551615', 18446744073709551615n], ['1', 1n]]],
  ['f32', 'FLOAT', 'Float32', [['0.5', 0.5], ['-2', -2]]],
  ['f64', 'DOUBLE', 'Float64', [['0.1', 0.1], ['-1e300', -1e300]]],
  ['yes', 'BOOLEAN', 'Bool', [['true', true], ['false', false]]],
  ['dec4', 'DECIMAL(4,2)', 'Decimal[4e+2]', [['-1.25', -125n], ['99.99', 9999n]]],
  ['dec9', 'DECIMAL(9,3)', 'Decimal[9e+3]', [['123456.789', 123456789n], ['-0.001', -1n]]],
  ['dec18', 'DECIMAL(18,0)', 'Decimal[18e0]', [['123456789012345678', 123456789012345678n], ['-5', -5n]]],
  ['dec38', 'DECIMAL(38,0)', 'Decimal[38e0]', [['12345678901234567890123456789012345678', 12345678901234567890123456789012345678n], ['-1', -1n]]],
  ['day', 'DATE', 'Date32<DAY>', [['2024-02-29', Date.UTC(2024, 1, 29)], ['1969-12-31', Date.UTC(1969, 11, 31)]]],
  ['time', 'TIME', 'Time64<MICROSECOND>', [['12:34:56.789012', 45296789012n], ['00:00:00', 0n]]],
  ['ts_s', 'TIMESTAMP_S', 'Timestamp<SECOND>', [['2024-02-29 12:00:00', Date.UTC(2024, 1, 29, 12)], ['1970-01-01 00:00:01', 1000]]],
  ['ts_ms', 'TIMESTAMP_MS', 'Timestamp<MILLISECOND>', [['2024-02-29 12:00:00.123', Date.UTC(2024, 1, 29, 12, 0, 0, 123)], ['1970-01-01 00:00:01', 1000]]],
  ['ts', 'TIMESTAMP', 'Timestamp<MICROSECOND>', [['2024-02-29 12:00:00.123', Date.UTC(2024, 1, 29, 12, 0, 0, 123)], ['1969-12-31 23:59:59', -1000]]],
  ['ts_ns', 'TIMESTAMP_NS', 'Timestamp<NANOSECOND>', [['2024-02-29 12:00:00.123', Date.UTC(2024, 1, 29, 12, 0, 0, 123)], ['1970-01-01 00:00:01', 1000]]],
  ['tz', 'TIMESTAMP WITH TIME ZONE', 'Timestamp<MICROSECOND, UTC>', [['2024-02-29 12:00:00+04', Date.UTC(2024, 1, 29, 8)], ['1970-01-01 00:00:01+00', 1000]]],
  ['text', 'VARCHAR', 'Utf8', [['Երևան 😀', 'Երևան 😀'], ['"a ""quoted"", longer cell than twelve bytes"', 'a "quoted", longer cell than twelve bytes']]],
  ['blob', 'BLOB', 'Binary', [['\\x00\\xFFa', new Uint8Array([0, 255, 97])], ['b', new Uint8Array([98])]]],
  // What Arrow has no type for that holds it whole.
  ['huge', 'HUGEINT', 'Utf8', [['-170141183460469231731687303715884105728', '-170141183460469231731687303715884105728'], ['1', '1']]],
  ['uuid', 'UUID', 'Utf8', [['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'], ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001']]],
  ['span', 'INTERVAL', 'Utf8', [['1 month', 'P1M'], ['2 days', 'P2D']]],
];

function value(cell, type) {
  if (cell === null) return null;
  if (type.startsWith('Decimal')) {
    const words = new Uint32Array(cell.buffer, cell.byteOffset, 4);
    let whole = 0n;
    for (let i = 3; i >= 0; --i) whole = (whole << 32n) | BigInt(words[i]);
    return BigInt.asIntN(128, whole);
  }
  if (type.startsWith('Date') || type.startsWith('Timestamp')) return Number(cell);
  return cell;
}

async function serve(t, files, types, more = 'arrow_ipc: true') {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-arrow-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'data'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'data', name), text);
  const columns = Object.entries(types).map(([name, type]) => `${name}: "${type}"`).join(', ');
  writeFileSync(join(folder, 'sluice.yaml'), `${more}\ncollections: [ { name: d, path: data, types: { ${columns} } } ]\n`);
  const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, 'sluice.yaml'), '--profile', 'full', '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return (await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server })).client;
}

async function ask(client, name, args) {
  return JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
}

async function read(client, uri) {
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0].mimeType, 'application/vnd.apache.arrow.file');
  return arrow.tableFromIPC(Buffer.from(contents[0].blob, 'base64'));
}

describe('Arrow files', () => {
  it('have the type and the value of every column, and nulls', async (t) => {
    const header = COLUMNS.map(([name]) => name).join(',');
    const line = (row) => COLUMNS.map(([, , , cells]) => cells[row][0]).join(',');
    const empty = COLUMNS.map(() => '').join(',');
    const types = Object.fromEntries(COLUMNS.map(([name, type]) => [name, type]));
    const client = await serve(t, { 't.csv': `${header}\n${line(0)}\n${empty}\n${line(1)}\n` }, types);
    const answer = await ask(client, 'query_data', { dataset: 't', output_format: 'arrow' });
    assert.equal(answer.method, 'file', JSON.stringify(answer));
    assert.equal(answer.format, 'arrow');
    const table = await read(client, answer.resource_uri);
    assert.equal(table.numRows, 3);
    COLUMNS.forEach(([name, , type, cells], at) => {
      assert.equal(table.schema.fields[at].name, name);
      assert.equal(String(table.schema.fields[at].type), type, name);
      const column = table.getChildAt(at);
      assert.deepEqual(value(column.get(0), type), cells[0][1], name);
      assert.equal(column.get(1), null, name);
      assert.deepEqual(value(column.get(2), type), cells[1][1], name);
    });
  });

  it('hold lists and structs within one another', async (t) => {
    const rows = [
      { l: [1, null, 3], s: { a: 1, b: 'x', m: [{ z: true }, { z: null }] } },
      { l: null, s: null },
      { l: [], s: { a: null, b: null, m: [] } },
    ];
    const client = await serve(t, { 't.ndjson': rows.map((row) => JSON.stringify(row)).join('\n') }, {});
    const answer = await ask(client, 'query_data', { dataset: 't', output_format: 'arrow' });
    const table = await read(client, answer.resource_uri);
    const plain = JSON.parse(JSON.stringify(table.toArray(), (_, one) => (typeof one === 'bigint' ? Number(one) : one)));
    assert.deepEqual(plain, rows);
  });

  it('are one resource with all rows, read in parts', async (t) => {
    let text = 'id,name\n';
    for (let i = 0; i < 9_000; ++i) text += `${i},name of number ${i}\n`;
    const client = await serve(t, { 't.csv': text }, {});
    const answer = await ask(client, 'query_data', { dataset: 't', output_format: 'arrow' });
    assert.equal(answer.row_count, 9_000);
    const parts = [];
    let uri = `${answer.resource_uri}&length=50000`;
    while (uri) {
      const [part] = (await client.readResource({ uri })).contents;
      parts.push(Buffer.from(part.blob, 'base64'));
      uri = part._meta.next;
    }
    assert.ok(parts.length > 3);
    const bytes = Buffer.concat(parts);
    assert.equal(bytes.length, answer.file_size_bytes);
    const table = arrow.tableFromIPC(bytes);
    assert.equal(table.numRows, 9_000);
    assert.equal(Number(table.get(8_999).id), 8_999);
  });

  it('continue on the next page, batch after batch', async (t) => {
    let text = 'id,name\n';
    for (let i = 0; i < 9_000; ++i) text += `${i},name of number ${i}\n`;
    const client = await serve(t, { 't.csv': text }, {});
    let page = await ask(client, 'query_data', { dataset: 't', output_format: 'arrow' });
    const handle = page.result_handle;
    let seen = 0;
    while (page.page_info.has_more) {
      page = await ask(client, 'query_next_page', { result_handle: handle, page_token: page.page_info.page_token, format: 'arrow' });
      for (const row of await read(client, page.resource_uri)) assert.equal(Number(row.id), seen++);
    }
    assert.equal(seen, 9_000);
  });

  it('are not offered unless they are enabled', async (t) => {
    const client = await serve(t, { 't.csv': 'a\n1\n' }, {}, '');
    const answer = await ask(client, 'query_data', { dataset: 't', output_format: 'arrow' });
    assert.equal(answer.code, 'unsupported_format');
    assert.equal((await ask(client, 'get_server_info', {})).capabilities.arrow_ipc, false);
  });
});
