// The tool `query`: SQL over all tables of a server, answered in CSV, with results that are tables again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';

const SLUICE = binary('SLUICE');

function folderOf(t, files) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-query-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const FLIGHTS = 'origin,delay\nSEA,10\nSEA,20\nJFK,-5\nXXX,1\n';
const AIRPORTS = 'iata,city\nSEA,Seattle\nJFK,New York\nLAX,Los Angeles\n';

// A server over two files and a database, in the lean profile.
async function served(t, { sdk = 'modern', files = {} } = {}) {
  const folder = folderOf(t, { 'flights.csv': FLIGHTS, 'airports.csv': AIRPORTS, ...files });
  const database = new DatabaseSync(join(folder, 'shop.db'));
  database.exec("CREATE TABLE orders(city TEXT, amount REAL); INSERT INTO orders VALUES ('Seattle', 2.5), ('Seattle', 0.1), ('Rome', 1)");
  database.close();
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, `collections: [ { path: "." } ]
databases: [ { name: shop, url: "sqlite:shop.db" } ]
tools: { profile: lean }
`);
  const server = await ServerProcess.listening(SLUICE, ['serve', config, '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  const link = await connect(t, sdk === 'modern' ? modernClient({ capabilities: {} }) : legacyClient({ capabilities: {} }), { sdk, transport: 'http', server });
  return link.client;
}

const query = (client, args) => client.callTool({ name: 'query', arguments: args });

async function text(client, sql, more = {}) {
  const result = await query(client, { sql, ...more });
  assert.ok(!result.isError, result.content[0].text);
  assert.equal(result.structuredContent, undefined);
  return result.content[0].text;
}

async function refusal(client, sql, more = {}) {
  const result = await query(client, { sql, ...more });
  assert.ok(result.isError, `answered: ${result.content[0].text}`);
  return JSON.parse(result.content[0].text);
}

for (const sdk of ['modern', 'legacy']) {
  describe(`query, asked by a client of the ${sdk} era`, () => {
    it('joins files with each other and with a table of a database', async (t) => {
      const client = await served(t, { sdk });
      assert.equal(await text(client, `SELECT city, count(*) AS n, sum(delay) AS total FROM flights JOIN airports ON origin = iata
        GROUP BY city ORDER BY city`), 'city,n,total\nNew York,1,-5\nSeattle,2,30\n');
      assert.equal(await text(client, `SELECT a.city, sum(o.amount) AS amount FROM airports a JOIN shop.orders o ON o.city = a.city
        GROUP BY a.city`), 'city,amount\nSeattle,2.6\n');
      assert.equal(await text(client, 'SELECT f.origin FROM flights f ANTI JOIN airports a ON f.origin = a.iata'), 'origin\nXXX\n');
    });

    it('answers several statements in a call, and one that fails fails alone', async (t) => {
      const client = await served(t, { sdk });
      const result = await query(client, { sql: ['SELECT count(*) AS n FROM flights', 'SELECT nothing FROM flights', 'SELECT 1 AS one'] });
      const parts = result.content[0].text.split(/^-- \d+\n/m);
      assert.equal(parts.length, 4);
      assert.equal(parts[1], 'n\n4\n');
      assert.match(parts[2], /^# error invalid_column: .*nothing/);
      assert.equal(parts[3], 'one\n1\n');
      assert.equal(result._meta['sluice/result'].length, 3);
    });
  });
}

describe('names of tables in SQL', () => {
  it('may be written as they are, in any case, with underscores, or by their last part', async (t) => {
    const client = await served(t, { files: { 'air-ports.2024.csv': 'x\n7\n' } });
    for (const name of ['"shop/orders"', 'shop.orders', 'orders', 'ORDERS', 'shop_orders', 'Shop.Orders'])
      assert.equal(await text(client, `SELECT count(*) AS n FROM ${name}`), 'n\n3\n', name);
    for (const name of ['"air-ports.2024"', 'air_ports_2024'])
      assert.equal(await text(client, `SELECT x FROM ${name}`), 'x\n7\n', name);
    assert.equal(await text(client, 'SELECT orders.city FROM orders WHERE orders.amount = 1'), 'city\nRome\n');
    assert.equal(await text(client, 'WITH flights AS (SELECT 5 AS x) SELECT x FROM flights'), 'x\n5\n');
  });

  it('that mean nothing, or several things, lead on', async (t) => {
    const client = await served(t, { files: { 'a b.csv': 'x\n1\n', 'a-b.csv': 'x\n2\n' } });
    const unknown = await refusal(client, 'SELECT * FROM flihgts');
    assert.equal(unknown.code, 'dataset_not_found');
    assert.match(unknown.hint, /flights/);
    assert.equal((await refusal(client, 'SELECT * FROM a_b')).code, 'ambiguous_table');
    assert.equal(await text(client, 'SELECT x FROM "a-b"'), 'x\n2\n');
    assert.equal((await refusal(client, 'SELECT * FROM r77')).code, 'unknown_handle');
    assert.equal((await refusal(client, 'SELECT * FROM handle."0123456789abcdef"')).code, 'unknown_handle');
  });
});

describe('results', () => {
  const big = `id,word\n${Array.from({ length: 30_000 }, (_, i) => `${i},word${i % 97}`).join('\n')}\n`;

  it('that do not fit are tables, which are paged by LIMIT and OFFSET', async (t) => {
    const client = await served(t, { files: { 'big.csv': big } });
    const result = await query(client, { sql: 'SELECT * FROM big' });
    const [head, names, ...rows] = result.content[0].text.trimEnd().split('\n');
    assert.match(head, /^# 10 of 30,000 rows shown; all are in table r\d{6} \(\d+ min\)$/);
    const [table] = head.match(/r\d{6}/);
    assert.equal(names, 'id,word');
    assert.equal(rows.length, 10);
    assert.ok(result.content[0].text.length < 1_600, 'a careless question costs little');
    const seen = [];
    for (let offset = 0; ; offset += 400) {
      const page = (await text(client, `SELECT id FROM ${table} LIMIT 400 OFFSET ${offset}`)).trimEnd().split('\n').slice(1);
      if (page.length === 0 || page[0] === '') break;
      seen.push(...page.filter((line) => line !== 'id').map(Number));
      if (page.length < 400) break;
    }
    assert.deepEqual(seen, Array.from({ length: 30_000 }, (_, i) => i));
    const handle = result._meta['sluice/result'].handle;
    assert.equal(await text(client, `SELECT count(*) AS n FROM handle."${handle}"`), 'n\n30000\n');
  });

  it('may be given a name, which no table has', async (t) => {
    const client = await served(t);
    assert.match(await text(client, 'SELECT origin, max(delay) AS most FROM flights GROUP BY ALL ORDER BY 1', { name: 'worst' }),
      /^# kept as table worst \(\d+ min\)\norigin,most\nJFK,-5\nSEA,20\nXXX,1\n$/);
    assert.equal(await text(client, 'SELECT sum(most) AS s FROM Worst'), 's\n16\n');
    assert.equal((await refusal(client, 'SELECT 1', { name: 'flights' })).code, 'name_taken');
    assert.equal((await refusal(client, 'SELECT 1', { name: 'r5' })).code, 'name_taken');
    assert.equal((await refusal(client, 'SELECT 1', { name: 'a b' })).code, 'invalid_name');
    assert.equal((await refusal(client, ['SELECT 1', 'SELECT 2'], { name: 'x' })).code, 'invalid_arguments');
  });

  it('come as objects or as a file where that is asked for', async (t) => {
    const client = await served(t);
    assert.deepEqual(JSON.parse(await text(client, 'SELECT 0.1 + 0.2 AS x, NULL AS y', { format: 'json' })), [{ x: 0.3, y: null }]);
    const file = await query(client, { sql: 'SELECT * FROM flights', format: 'parquet' });
    assert.match(file.content[0].text, /^# 4 rows in \S+\/file\?format=parquet, also table r\d{6} /);
    const read = await client.readResource({ uri: file.content[1].uri });
    assert.equal(Buffer.from(read.contents[0].blob, 'base64').subarray(0, 4).toString(), 'PAR1');
  });
});

describe('what query refuses', () => {
  it('is everything but SELECT over tables of the server', async (t) => {
    const client = await served(t);
    for (const sql of ["SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'", 'SELECT * FROM duckdb_settings()',
      'SELECT * FROM information_schema.tables', "COPY flights TO '/tmp/x'", "ATTACH '/tmp/x.db'", 'SELECT 1; SELECT 2', 'INSERT INTO flights VALUES (1)',
      'SELECT * FROM sluice_table_0', 'WITH sluice_table_0 AS (SELECT 1) SELECT * FROM sluice_table_0', 'DESCRIBE flights',
      "SELECT * FROM outside(1)", 'SELECT * FROM sqlite_schema', '', 'SELECT getenv(\'HOME\')', 'SELECT * FROM flights TABLESAMPLE 10%']) {
      const error = await refusal(client, sql);
      assert.ok(['invalid_sql', 'dataset_not_found', 'unsupported_clause'].includes(error.code), `${sql}: ${JSON.stringify(error)}`);
      assert.ok(JSON.stringify(error).length < 700, `too long: ${JSON.stringify(error)}`);
    }
  });

  it('is a product of tables that nobody has confirmed', async (t) => {
    const ids = `id\n${Array.from({ length: 5_000 }, (_, i) => i).join('\n')}\n`;
    const client = await served(t, { files: { 'ids.csv': ids } });
    const answer = await text(client, 'SELECT a.id AS x, b.id AS y FROM ids a CROSS JOIN ids b');
    assert.match(answer, /^# needs_confirmation: .* rows.*confirm: true/);
    assert.equal(await text(client, 'SELECT count(*) AS n FROM ids a CROSS JOIN ids b'), 'n\n25000000\n');
  });
});

describe('random joins', () => {
  // Numbers that are the same in every run.
  function random(seed) {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  it('agree with loops over the same rows', async (t) => {
    const pick = random(7);
    const table = (rows) => Array.from({ length: rows }, () => ({ k: pick(5) === 0 ? null : pick(12), v: pick(4) === 0 ? null : pick(100) - 50 }));
    const csv = (rows) => `k,v\n${rows.map(({ k, v }) => `${k ?? ''},${v ?? ''}`).join('\n')}\n`;
    const tables = [table(40), table(60), table(25)];
    const client = await served(t, { files: Object.fromEntries(tables.map((rows, i) => [`t${i}.csv`, csv(rows)])) });
    const cell = (value) => (value === null ? '' : String(value));
    const sorted = (lines) => [...lines].sort();
    for (let i = 0; i < 150; ++i) {
      const [left, right] = [pick(3), pick(3)];
      const kind = ['JOIN', 'LEFT JOIN', 'SEMI JOIN', 'ANTI JOIN'][pick(4)];
      const bound = pick(100) - 50;
      const isGrouped = pick(2) === 0;
      const keeps = (row) => row.v !== null && row.v > bound;
      const pairs = [];
      for (const a of tables[left].filter(keeps)) {
        const partners = tables[right].filter((b) => a.k !== null && a.k === b.k);
        if (kind === 'SEMI JOIN' ? partners.length > 0 : kind === 'ANTI JOIN' && partners.length === 0) pairs.push([a, null]);
        if (kind.startsWith('S') || kind.startsWith('A')) continue;
        for (const b of partners) pairs.push([a, b]);
        if (kind === 'LEFT JOIN' && partners.length === 0) pairs.push([a, { k: null, v: null }]);
      }
      const isOneSided = kind.startsWith('S') || kind.startsWith('A');
      const other = isOneSided ? 'a.v' : 'b.v';
      const value = ([a, b]) => (isOneSided ? a.v : b.v);
      let expected;
      let columns;
      if (isGrouped) {
        const groups = new Map();
        for (const pair of pairs) groups.set(pair[0].k, [...(groups.get(pair[0].k) ?? []), value(pair)]);
        expected = [...groups].map(([k, values]) => {
          const known = values.filter((one) => one !== null);
          return [cell(k), values.length, known.length, known.length ? known.reduce((a, b) => a + b) : ''].join(',');
        });
        columns = `a.k, count(*) AS n, count(${other}) AS m, sum(${other}) AS s`;
      } else {
        expected = pairs.map((pair) => [cell(pair[0].k), cell(pair[0].v), cell(value(pair))].join(','));
        columns = `a.k, a.v, ${other} AS w`;
      }
      const sql = `SELECT ${columns} FROM t${left} a ${kind} t${right} b ON a.k = b.k WHERE a.v > ${bound}${isGrouped ? ' GROUP BY a.k' : ''}`;
      const answer = await text(client, sql, { max_rows: 5000, max_tokens: 25000 });
      assert.ok(!/ shown; /.test(answer), sql);
      const lines = answer.trimEnd().split('\n').filter((line) => !line.startsWith('#')).slice(1);
      assert.deepEqual(sorted(lines), sorted(expected), sql);
    }
  });
});
