// Workbooks and DuckDB files in a served folder, as an agent sees them: listed, described, joined, and followed as they change.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { connect, modernClient } from './connection.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const arrow = npmPackage('apache-arrow');
const SLUICE = binary('SLUICE');
const DATA = fileURLToPath(new URL('../data/arrow/', import.meta.url));
const PYTHON = '/usr/bin/python3';
const DUCKDB = join(dirname(SLUICE), 'libduckdb.so');
const WRITER = fileURLToPath(new URL('../support/write_duckdb.py', import.meta.url));

function run(args) {
  const ended = spawnSync(PYTHON, args, { encoding: 'utf8' });
  assert.equal(ended.status, 0, ended.stderr);
}

const BOOK = `
import openpyxl, datetime, sys
book = openpyxl.Workbook()
sales = book.active
sales.title = 'Sales 2024'
sales.append(['Report of the year'])
sales.append([])
sales.append(['city', 'amount', 'day'])
for city, amount, day in [('Rome', 2.5, 1), ('Paris', 4, 2), ('Rome', 1, 3)]:
    sales.append([city, amount, datetime.date(2024, 5, day)])
for name in sys.argv[2:]:
    book.create_sheet(name).append(['x'])
    book[name].append([1])
book.save(sys.argv[1])
`;

function folderOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-foreign-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function served(t, folder, profile = 'lean') {
  const server = await ServerProcess.listening(SLUICE, ['serve', folder, '--profile', profile, '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return (await connect(t, modernClient({ capabilities: {} }), { sdk: 'modern', transport: 'http', server })).client;
}

async function text(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, result.content[0].text);
  return result.content[0].text;
}
const query = (client, sql, more = {}) => text(client, 'query', { sql, ...more });

describe('workbooks and DuckDB files in a folder', () => {
  it('are tables that are listed, described and joined with each other and with CSV', async (t) => {
    const folder = folderOf(t);
    run(['-c', BOOK, join(folder, 'accounts.xlsx'), 'Notes']);
    run(['-c', BOOK, join(folder, 'single.xlsx')]);
    run([WRITER, DUCKDB, join(folder, 'warehouse.duckdb'),
      "CREATE TABLE cities AS SELECT * FROM (VALUES ('Rome', 'Italy'), ('Paris', 'France')) t(city, country); CREATE VIEW secret AS SELECT * FROM read_text('/etc/passwd')"]);
    writeFileSync(join(folder, 'people.csv'), 'country,people\nItaly,59\nFrance,68\n');
    const client = await served(t, folder);

    const listed = await text(client, 'catalog', {});
    for (const name of ['accounts.Sales_2024', 'accounts.Notes', 'single.Sales_2024', 'warehouse.cities', 'people']) assert.ok(listed.includes(name), listed);
    assert.ok(!listed.includes('secret'), listed);
    const described = await text(client, 'describe', { datasets: ['accounts.Sales_2024'] });
    assert.match(described, /amount/);
    assert.match(described, /DATE|date/);

    assert.equal(await query(client, `SELECT country, people, sum(amount) AS total, min(day) AS first FROM accounts.Sales_2024
      JOIN "warehouse/cities" USING (city) JOIN people USING (country) GROUP BY ALL ORDER BY country`),
    'country,people,total,first\nFrance,68,4,2024-05-02\nItaly,59,3.5,2024-05-01\n');
    // A workbook with one sheet answers to its own name.
    assert.equal(await query(client, 'SELECT count(*) AS n FROM single'), 'n\n3\n');
    // Statements that no plan expresses run in the engine of the file.
    assert.equal(await query(client, "SELECT string_agg(city, '-' ORDER BY city) AS all_of_them FROM \"warehouse/cities\" WHERE regexp_matches(city, '^.')"), 'all_of_them\nParis-Rome\n');

    run(['-c', BOOK.replace("('Rome', 1, 3)", "('Rome', 1, 3), ('Oslo', 9, 4)"), join(folder, 'single.xlsx')]);
    await until('the new workbook is read', async () => (await query(client, 'SELECT count(*) AS n FROM single')) === 'n\n4\n');
    run([WRITER, DUCKDB, join(folder, 'more.duckdb'), 'CREATE TABLE t AS SELECT 42 AS x']);
    await until('the new file is listed', async () => (await text(client, 'catalog', {})).includes('more.t'));
    assert.equal(await query(client, 'SELECT x FROM "more/t"'), 'x\n42\n');
  });

  it('say why they cannot be read, and are read when that has passed', async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'broken.xlsx'), 'PK\x03\x04 and no more');
    run([WRITER, DUCKDB, join(folder, 'w.duckdb'), 'CREATE TABLE t AS SELECT 1 AS x']);
    const client = await served(t, folder, 'full');
    const refusal = async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      assert.ok(result.isError, result.content[0].text);
      return JSON.parse(result.content[0].text);
    };
    assert.equal((await refusal('query_data', { dataset: 'broken' })).code, 'unreadable_file');

    const writer = await until('the file can be opened for writing', async () => {
      const child = spawn(PYTHON, [WRITER, DUCKDB, join(folder, 'w.duckdb'), 'INSERT INTO t VALUES (2)', 'hold'], { stdio: ['pipe', 'pipe', 'ignore'] });
      const isReady = await new Promise((resolve) => { child.stdout.once('data', () => resolve(true)); child.once('close', () => resolve(false)); });
      return isReady ? child : null;
    });
    const busy = await refusal('aggregate', { dataset: 'w/t', aggs: [{ fn: 'sum', col: 'x' }] });
    assert.equal(busy.code, 'source_busy');
    assert.ok(!JSON.stringify(busy).includes(folder));
    writer.stdin.end();
    await new Promise((resolve) => { writer.once('close', resolve); });
    await until('the rows are read', async () => {
      const result = await client.callTool({ name: 'aggregate', arguments: { dataset: 'w/t', aggs: [{ fn: 'sum', col: 'x' }] } });
      return !result.isError && result.content[0].text.includes('3');
    });
  });

  it('are databases of a configuration', async (t) => {
    const folder = folderOf(t);
    run([WRITER, DUCKDB, join(folder, 'w.duckdb'), 'CREATE TABLE t AS SELECT 1 AS x; CREATE SCHEMA s; CREATE TABLE s.u AS SELECT 2 AS y']);
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, 'databases: [ { name: warehouse, url: "duckdb:w.duckdb" } ]\ntools: { profile: lean }\n');
    const client = await served(t, config);
    assert.equal(await query(client, 'SELECT x, y FROM "warehouse/t", "warehouse/s.u"'), 'x,y\n1,2\n');
  });
});

// The rows of DATA: see tests/data/README.md.
function fixtureRows() {
  const rows = [];
  for (let x = 0; x < 300; ++x) {
    const text = x % 7 === 0 ? '' : x % 5 === 0 ? `a text that is longer than twelve bytes ${x}` : `s${x}`;
    const flag = x % 4 === 0 ? '' : String(x % 2 === 0);
    const list = x % 6 === 0 ? '' : x % 3 === 0 ? '[]' : x % 3 === 1 ? `[${x}.0]` : `"[${x}.0, ${x + 1}.0]"`;
    const moment = new Date(Date.UTC(2024, 0, 1) + x * 3_600_000).toISOString().slice(0, 19);
    rows.push(`${x * 7 - 100},${x % 9 === 0 ? '' : x / 4},${text},${flag},${moment},${list}`);
  }
  return rows;
}

describe('Arrow files in a folder', () => {
  it('have the rows that Polars wrote, whatever packs their buffers', async (t) => {
    const folder = folderOf(t);
    copyFileSync(join(DATA, 'lz4.arrow'), join(folder, 'lz4.feather'));
    for (const name of ['zstd', 'dictionary']) copyFileSync(join(DATA, `${name}.arrow`), join(folder, `${name}.arrow`));
    const client = await served(t, folder);
    for (const name of ['lz4', 'zstd', 'dictionary']) {
      const rows = (await query(client, `SELECT i, f, s, b, d, CAST(l AS VARCHAR) AS l FROM ${name}`, { max_rows: 1000, max_tokens: 25_000 })).split('\n').slice(1, 301);
      assert.deepEqual(rows, fixtureRows());
    }
    assert.equal(await query(client, 'SELECT count(*) AS n, count(c) AS m, count(DISTINCT c) AS k FROM dictionary WHERE c IS NOT DISTINCT FROM s'), 'n,m,k\n300,257,257\n');
  });

  it('have the rows that the JavaScript library wrote, as a file and as a stream', async (t) => {
    const folder = folderOf(t);
    const numbers = [...Array(20).keys()];
    const column = (type, value) => arrow.vectorFromArray(numbers.map(value), type);
    const table = new arrow.Table({
      i8: column(new arrow.Int8(), (x) => x - 5),
      u64: column(new arrow.Uint64(), (x) => BigInt(x) + 18446744073709551000n),
      flag: column(new arrow.Bool(), (x) => (x % 3 ? x % 2 === 0 : null)),
      word: column(new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()), (x) => `d${x % 3}`),
      day: column(new arrow.DateDay(), (x) => new Date(86_400_000 * x)),
      day_ms: column(new arrow.DateMillisecond(), (x) => new Date(86_400_000 * x)),
      clock: column(new arrow.TimeMillisecond(), (x) => x * 1000),
      list: column(new arrow.List(new arrow.Field('item', new arrow.Int32(), true)), (x) => (x % 3 ? [x, null, x + 1] : null)),
      pair: column(new arrow.Struct([new arrow.Field('p', new arrow.Utf8(), true), new arrow.Field('q', new arrow.Int32(), true)]), (x) => (x % 5 ? { p: `p${x}`, q: x } : null)),
      two: column(new arrow.FixedSizeList(2, new arrow.Field('item', new arrow.Int32(), true)), (x) => [x, x + 1]),
      price: column(new arrow.Decimal(2, 9, 128), (x) => new Uint32Array([x * 125, 0, 0, 0])),
    });
    writeFileSync(join(folder, 'whole.arrow'), arrow.tableToIPC(table, 'file'));
    writeFileSync(join(folder, 'stream.ipc'), arrow.tableToIPC(table, 'stream'));
    const client = await served(t, folder);
    for (const name of ['whole', 'stream']) {
      assert.equal(await query(client, `SELECT i8, u64, flag, word, day, day_ms, clock, CAST(list AS VARCHAR) AS list, pair.p AS p, pair.q AS q, two[2] AS second, price FROM ${name} WHERE i8 IN (-5, -4, 2)`),
        'i8,u64,flag,word,day,day_ms,clock,list,p,q,second,price\n'
        + '-5,18446744073709551000,,d0,1970-01-01,1970-01-01,00:00:00,,,,1,0.00\n'
        + '-4,18446744073709551001,false,d1,1970-01-02,1970-01-02,00:00:01,"[1, NULL, 2]",p1,1,2,1.25\n'
        + '2,18446744073709551007,false,d1,1970-01-08,1970-01-08,00:00:07,"[7, NULL, 8]",p7,7,8,8.75\n');
    }
  });

  it('are refused when they are damaged, and nothing else happens', async (t) => {
    const folder = folderOf(t);
    const whole = readFileSync(join(DATA, 'zstd.arrow'));
    let seed = 7;
    const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
    for (let i = 0; i < 40; ++i) {
      const bytes = Buffer.from(i % 4 ? whole : whole.subarray(0, random(whole.length)));
      for (let k = 0; k < 5 && bytes.length; ++k) bytes[random(bytes.length)] = random(256);
      writeFileSync(join(folder, `m${i}.arrow`), bytes);
    }
    copyFileSync(join(DATA, 'zstd.arrow'), join(folder, 'good.arrow'));
    const client = await served(t, folder);
    let refused = 0;
    for (let i = 0; i < 40; ++i) {
      const result = await client.callTool({ name: 'query', arguments: { sql: `SELECT count(i), max(f), max(s), count(b), max(d), count(l) FROM m${i}` } });
      if (!result.isError) continue;
      ++refused;
      assert.ok(['unreadable_file', 'unsupported_file'].includes(JSON.parse(result.content[0].text).code), result.content[0].text);
    }
    assert.ok(refused >= 10, `${refused}`);
    assert.equal(await query(client, 'SELECT count(*) AS n FROM good'), 'n\n300\n');
  });
});
