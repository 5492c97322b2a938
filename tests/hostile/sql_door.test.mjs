// The tool `query` under attack: SQL that tries to reach files, settings, catalogs and other callers' results, and statements that are
// made to be hard to read. Every refusal has a code, leads on, and costs the caller at most 120 tokens.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from '../e2e/connection.mjs';
import { npmPackage } from '../e2e/npm_package.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';

const { encode } = npmPackage('gpt-tokenizer/encoding/o200k_base');
const tokens = (text) => encode(text).length;
const TOKENS_MAX = 120;
const SECRET = 'c1t4d3l';
const ENVIRONMENT_SECRET = 'p4ssw0rd';

let folder;
let server;
let other;  // A session of the same principal.
let client;
let stranger;  // Another principal.
const ends = [];

async function session(token, make = legacyClient, sdk = 'legacy') {
  const { client: one } = await connect({ after: (end) => ends.push(end) }, make({ capabilities: {} }),
    { sdk, transport: 'http', server, requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  return one;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-door-'));
  mkdirSync(join(folder, 'data'));
  const files = {
    'data/people.csv': 'id,name,team\n1,Ann,red\n2,Bob,blue\n3,Cid,red\n4,Dan,\n',
    'data/teams.csv': 'team,city\nred,Rome\nblue,Oslo\n',
    'data/Case.csv': 'x\n1\n', 'data/CASE.csv': 'x\n2\n',
    'data/select.csv': 'from\n7\n', 'data/it\'s "quoted".csv': 'v\n8\n', 'data/two words.csv': 'v\n9\n',
    'data/.hidden.csv': `x\n${SECRET}\n`, 'secret.csv': `x\n${SECRET}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'sluice.yaml'), `server:
  tokens: [ { name: mine, env: DOOR_MINE }, { name: yours, env: DOOR_YOURS } ]
collections: [ { path: data, name: door } ]
tools: { profile: lean }
`);
  process.env.DOOR_MINE = `mine-${'m'.repeat(40)}`;
  process.env.DOOR_YOURS = `yours-${'y'.repeat(40)}`;
  process.env.DOOR_SECRET = ENVIRONMENT_SECRET;
  server = await ServerProcess.listening(binary('SLUICE'), ['serve', join(folder, 'sluice.yaml'), '--http', '127.0.0.1:0']);
  client = await session(process.env.DOOR_MINE);
  other = await session(process.env.DOOR_MINE);
  stranger = await session(process.env.DOOR_YOURS);
});
after(async () => {
  for (const end of ends) await end();
  const end = await server?.stop();
  rmSync(folder, { recursive: true });
  assert.equal(end?.code, 0, server.log.join('\n'));
});

async function call(args, who = client) {
  const result = await who.callTool({ name: 'query', arguments: args });
  return { text: result.content[0].text, isError: result.isError ?? false, meta: result._meta?.['sluice/result'] };
}

async function answer(sql, who = client) {
  const { text, isError } = await call({ sql }, who);
  assert.ok(!isError, `${sql}: ${text}`);
  return text;
}

// The error of a call. It tells no secret and no path of this machine.
async function refusal(args, who = client) {
  const { text, isError } = await call(args, who);
  const shown = JSON.stringify(args).slice(0, 200);
  assert.ok(isError, `answered ${shown}: ${text.slice(0, 300)}`);
  const error = JSON.parse(text);
  assert.ok(error.code && error.code !== 'internal' && error.hint, `${shown}: ${text}`);
  assert.ok(tokens(text) <= TOKENS_MAX, `${tokens(text)} tokens for ${shown}: ${text}`);
  for (const told of [SECRET, ENVIRONMENT_SECRET, folder, '/tmp/']) assert.ok(!text.includes(told) || shown.includes(told), `${shown}: ${text}`);
  return error;
}

describe('SQL that reaches for', () => {
  it('files, is refused wherever a table may stand', async () => {
    const path = join(folder, 'secret.csv');
    for (const from of [`'${path}'`, `"${path}"`, `read_csv('${path}')`, `read_csv_auto(['${path}'])`, `read_text('${path}')`, `read_blob('${path}')`,
      `read_json('${path}')`, `parquet_scan('x')`, `glob('${folder}/*')`, `sniff_csv('${path}')`, `'secret.csv'`, `"secret.csv"`, `"../secret.csv"`,
      `".hidden"`, `".hidden.csv"`, `"data/.hidden"`, `"/etc/passwd"`, `"file:///etc/passwd"`, `"s3://bucket/x.parquet"`, `"https://127.0.0.1/x.csv"`,
      `query('FROM ''${path}''')`, `query_table('people')`, `arrow_scan(1, 2, 3)`, `pandas_scan(1)`, `sqlite_scan('${path}', 't')`]) {
      for (const sql of [`SELECT * FROM ${from}`, `FROM people JOIN ${from} ON true`, `SELECT (SELECT count(*) FROM ${from})`, `WITH w AS (FROM ${from}) FROM w`])
        await refusal({ sql });
    }
  });

  it('settings, catalogs and the environment', async () => {
    for (const from of ['duckdb_settings()', 'duckdb_tables()', 'duckdb_functions()', 'duckdb_secrets()', 'duckdb_logs', 'information_schema.tables', 'sqlite_master', 'sqlite_schema',
      'pg_catalog.pg_tables', 'pg_tables', 'pragma_table_info(\'people\')', 'pragma_database_list()', 'main.people', 'memory.main.people', 'temp.people', 'system.information_schema.columns',
      'sluice_table_0', 'data'])
      await refusal({ sql: `SELECT * FROM ${from}` });
    for (const call of ["getenv('DOOR_SECRET')", "current_setting('memory_limit')", "getvariable('x')", 'version()', 'current_database()', 'current_user', 'pg_backend_pid()',
      "pg_read_file('/etc/passwd')", "write_log('x')", "read_text('/etc/passwd')", "nextval('s')", "set_config('a', 'b', true)", "query('SELECT 1')", "main.getenv('HOME')"])
      await refusal({ sql: `SELECT ${call}` });
  });

  it('statements other than SELECT, alone, behind others and in comments', async () => {
    for (const sql of ["COPY people TO '/tmp/stolen.csv'", "COPY (FROM people) TO '/tmp/stolen.csv'", "ATTACH '/tmp/x.db'", 'DETACH memory', 'INSTALL httpfs', 'LOAD httpfs',
      'PRAGMA database_list', "SET threads = 64", "SET VARIABLE x = 1", 'RESET threads', 'USE memory', 'CREATE TABLE t AS FROM people', 'DROP TABLE people', 'INSERT INTO people VALUES (9)',
      'UPDATE people SET id = 1', 'DELETE FROM people', 'TRUNCATE people', 'CALL duckdb_settings()', 'CHECKPOINT', 'EXPLAIN SELECT 1', 'EXPLAIN ANALYZE FROM people', "EXPORT DATABASE '/tmp/x'",
      'PREPARE p AS SELECT 1', 'EXECUTE p', 'BEGIN', 'COMMIT', 'SHOW TABLES', 'DESCRIBE people', 'SUMMARIZE people', 'SELECT 1; DROP TABLE people', 'SELECT 1;\n--\nSELECT 2',
      'SELECT 1 /* ; */ ; /* x */ SELECT 2', ';', '--', '/* only a comment */', '', '   ', '\u0000SELECT 1', 'SELECT 1 /* /* nested */ */', 'SELECT $$text$$',
      'WITH x AS (DELETE FROM people RETURNING *) FROM x', 'SELECT * FROM people FOR UPDATE'])
      await refusal({ sql });
  });

  it('placeholders, of which a caller has none', async () => {
    for (const sql of ['SELECT $1', 'SELECT ?', 'SELECT $name', 'SELECT ?1', 'SELECT * FROM $1', 'SELECT * FROM people LIMIT $n', 'SELECT :x', 'SELECT @x']) await refusal({ sql });
  });

  it('clauses without a bound or a meaning, which name what does the job', async () => {
    for (const [sql, code, hint] of [
      ['WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) FROM r', 'unsupported_clause', /unnest\(range/],
      ['FROM people TABLESAMPLE 10%', 'unsupported_clause', /hash\(column\)/],
      ['FROM people USING SAMPLE 2', 'unsupported_clause', /hash\(column\)/],
      ['FROM people POSITIONAL JOIN teams', 'unsupported_clause', /row_number\(\)/],
      ['FROM people AT (VERSION => 1)', 'unsupported_clause', /no versions/],
      ['PIVOT people ON team USING count(*)', 'pivot_needs_values', /SELECT DISTINCT team FROM people ORDER BY 1/],
      ['FROM (PIVOT people ON team USING count(*))', 'pivot_needs_values', /SELECT DISTINCT team FROM people/],
      ["FROM people WHERE name = now()::VARCHAR", 'invalid_sql', /DATE '2024-05-01'/],
      ["SELECT levenshtein(name, 'An') FROM people", 'invalid_sql', /similar\(a, b\)/],
      ['SELECT random() FROM people', 'invalid_sql', /hash\(column\)/],
      ['SELECT mode(team) FROM people', 'invalid_sql', /GROUP BY/],
      ['SELECT nvl(team, name) FROM people', 'invalid_sql', /coalesce\(a, b\)/],
      ["SELECT to_date(name, 'x') FROM people", 'invalid_sql', /strptime/],
      ['SELECT median(id) FROM people JOIN teams USING (team)', 'invalid_sql', /approx_quantile/],
      ["SELECT repeat(name, id) FROM people", 'invalid_sql', /written as a number/],
      ['SELECT uper(name) FROM people', 'invalid_sql', /upper/],
      ['SELECT t.id FROM people p JOIN teams t USING (team)', 'invalid_column', /Another table of the statement has id\./],
      ['SELECT id FROM people WHERE team = "red"', 'invalid_column', /single quotes: 'red'\./],
      ['SELECT sum(name) FROM people', 'invalid_sql', /CAST\(column AS DOUBLE\)/],
    ]) {
      const error = await refusal({ sql });
      assert.equal(error.code, code, sql);
      assert.match(error.hint, hint, `${sql}: ${JSON.stringify(error)}`);
    }
  });
});

describe('a refusal says where in the SQL', () => {
  for (const [what, sql, place] of [
    ['a syntax error is', 'SELECT id\nFORM people', 'line 2, column 6'],
    ['a function is that is not offered', 'SELECT id,\n  random() FROM people', 'line 2, column 3'],
    ['a function is, within another', "SELECT upper(getenv('HOME'))", 'line 1, column 14'],
    ['a table is that there is not', 'SELECT 1 FROM people, nobody', 'line 1, column 23'],
    ['a file is', "SELECT 'Ännchen', x FROM 'secret.csv'", 'line 1, column 26'],
    ['an unknown column is', 'SELECT id FROM people\nWHERE nam = 1', 'line 2, column 7'],
    ['a function is that takes other values', "SELECT id, sum(name) OVER () FROM people", 'line 1, column 12'],
  ]) {
    it(what, async () => {
      const error = await refusal({ sql });
      assert.ok(error.error.endsWith(`(${place})`), JSON.stringify(error));
    });
  }
});

describe('results', () => {
  it('of another principal and names of another session are unknown', async () => {
    const { text, meta } = await call({ sql: 'SELECT id FROM people ORDER BY id', max_rows: 1 });
    assert.match(text, /^# 1 of 4 rows shown; all are in table r1 /);
    assert.equal(await answer('FROM r1 ORDER BY id LIMIT 2'), 'id\n1\n2\n');
    assert.equal(await answer(`SELECT count(*) AS n FROM handle."${meta.handle}"`, other), 'n\n4\n', 'a handle is the principal\'s');
    for (const sql of ['FROM r1', 'FROM "r1"', 'FROM R1', `FROM handle."${meta.handle}"`, `FROM HANDLE."${meta.handle}"`, `FROM "handle"."${meta.handle}"`,
      `FROM people JOIN handle."${meta.handle}" USING (id)`]) {
      assert.equal((await refusal({ sql }, stranger)).code, 'unknown_handle', sql);
    }
    assert.equal((await refusal({ sql: 'FROM r1' }, other)).code, 'unknown_handle');
    for (const name of ['', '..', '../x', meta.handle.slice(0, -1), `${meta.handle}x`, meta.handle.toUpperCase(), '%', '*'])
      await refusal({ sql: `FROM handle."${name}"` });
    assert.equal((await refusal({ sql: `FROM "${meta.handle}"` })).code, 'dataset_not_found', 'a handle is no name');
  });

  it('take plain names that no table has', async () => {
    for (const name of ['people', 'PEOPLE', 'r7', 'R1', 'two_words', 'Case']) assert.equal((await refusal({ sql: 'SELECT 1', name })).code, 'name_taken', name);
    for (const name of ['', ' ', 'a b', 'a"b', "a'b", 'a.b', '1a', 'a\u0000', 'ä', 'a'.repeat(64), 'x'.repeat(1_000_000), '../x'])
      assert.equal((await refusal({ sql: 'SELECT 1', name })).code, 'invalid_name', name.slice(0, 20));
    assert.equal((await refusal({ sql: ['SELECT 1', 'SELECT 2'], name: 'both' })).code, 'invalid_arguments');
  });
});

describe('names of tables', () => {
  it('with blanks, quotes and keywords are found as SQL writes them', async () => {
    assert.equal(await answer('SELECT "from" FROM "select"'), 'from\n7\n');
    assert.equal(await answer('SELECT v FROM "it\'s ""quoted"""'), 'v\n8\n');
    assert.equal(await answer('SELECT v FROM two_words'), 'v\n9\n');
  });

  it('that differ in case alone are told apart if they are written so, and ambiguous otherwise', async () => {
    assert.equal(await answer('SELECT x FROM "Case"'), 'x\n1\n');
    assert.equal(await answer('SELECT x FROM "CASE"'), 'x\n2\n');
    const error = await refusal({ sql: 'SELECT x FROM "case"' });
    assert.equal(error.code, 'ambiguous_table');
    assert.match(error.hint, /"CASE", "Case"/);
  });

  it('with control characters, of a megabyte, or of thousands of parts are refused in few words', async () => {
    for (const name of ['\u001b[31m', 'a\nb', 'a\tb', '\u202e', '\u0007', 'x'.repeat(10_000), 'a'.repeat(63), 'people\u0000', '\ufeffpeople', '"'.repeat(2)])
      await refusal({ sql: `SELECT * FROM "${name.replaceAll('"', '""')}"` });
    await refusal({ sql: `SELECT * FROM ${'a.'.repeat(500)}b` });
    await refusal({ sql: `SELECT ${'a.'.repeat(500)}b FROM people` });
    await refusal({ sql: `SELECT * FROM "${'x'.repeat(1_000_000)}"` });
    const error = await refusal({ sql: 'SELECT * FROM "\u001b[31mred"' });
    assert.ok(![...JSON.stringify(error)].some((c) => c < ' '), 'control characters are shown as escapes');
  });
});

describe('arguments', () => {
  it('hold one to sixteen statements', async () => {
    assert.equal((await refusal({ sql: [] })).code, 'invalid_arguments');
    assert.equal((await refusal({ sql: Array(17).fill('SELECT 1') })).code, 'invalid_arguments');
    assert.equal((await refusal({})).code, 'invalid_arguments');
    assert.equal((await refusal({ sql: 5 })).code, 'invalid_arguments');
    assert.equal((await refusal({ sql: [5] })).code, 'invalid_arguments');
    assert.equal((await refusal({ sql: { sql: 'SELECT 1' } })).code, 'invalid_arguments');
    const text = await answer(Array(16).fill('SELECT 1 AS a'));
    assert.equal(text.match(/^-- \d+$/gm).length, 16);
  });

  it('of a list fail each alone, and no secret of one is in another', async () => {
    const text = await answer(['SELECT 1 AS a', "FROM '/etc/passwd'", '', 'SELECT 2 AS a']);
    assert.match(text, /^-- 1\na\n1\n-- 2\n# error dataset_not_found: .*\n-- 3\n# error invalid_sql: .*\n-- 4\na\n2\n$/);
  });

  it('with huge, negative and odd numbers are clamped or refused', async () => {
    for (const most of [1e18, 2 ** 53, 1_000_000]) {
      const { text, isError } = await call({ sql: 'FROM people', max_rows: most, max_tokens: most });
      assert.ok(!isError && text.includes('\n4,Dan,\n'), text);
    }
    for (const most of [0, -1, 1.5, 1e400, '5', null, true, {}, []]) {
      const { text, isError } = await call({ sql: 'FROM people', max_rows: most });
      assert.ok(isError || /Dan|rows shown/.test(text), `${most}: ${text}`);
      assert.ok(tokens(text) <= TOKENS_MAX, text);
    }
    assert.ok((await refusal({ sql: 'SELECT 1', format: 'xlsx' })).code);
    assert.ok((await refusal({ sql: 'SELECT 1', path: '/tmp/x' })).code);
  });
});

describe('statements that are hard to read', () => {
  it('are refused or answered quickly', async () => {
    for (const sql of [
      ' '.repeat(1_000_000) + 'SELECT 1', `SELECT '${'x'.repeat(1_000_000)}'`, `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`, `SELECT ${'-'.repeat(5_000)}1`,
      `SELECT ${'NOT '.repeat(3_000)}true`, `SELECT ${'(SELECT '.repeat(900)}1${')'.repeat(900)}`, `SELECT 1${' UNION ALL SELECT 1'.repeat(700)}`,
      `SELECT 1 WHERE ${Array(3_000).fill('1=1').join(' AND ')}`, `SELECT * FROM people${', people'.repeat(1_000)}`, `SELECT ${'[' .repeat(2_000)}1${']'.repeat(2_000)}`,
      `SELECT ${Array(3_000).fill('id').join(', ')} FROM people`, `SELECT ${'CASE WHEN true THEN '.repeat(700)}1${' END'.repeat(700)}`,
      `SELECT ${'/* */'.repeat(3_000)}1`, `SELECT 1 -- ${'x'.repeat(15_000)}`, `SELECT ${'"a'.repeat(5_000)}`, `SELECT ${"'".repeat(9_999)}`,
    ]) {
      const begin = Date.now();
      const { text } = await call({ sql });
      assert.ok(tokens(text) <= 4_000, `${tokens(text)} tokens for ${sql.slice(0, 60)}`);
      assert.ok(Date.now() - begin < 10_000, `${Date.now() - begin} ms for ${sql.slice(0, 60)}`);
    }
    for (const sql of [' '.repeat(1_000_000) + 'SELECT 1', `SELECT '${'x'.repeat(1_000_000)}'`]) assert.equal((await refusal({ sql })).code, 'expression_too_large');
    assert.equal(await answer('SELECT 1 AS a'), 'a\n1\n', 'the server still answers');
  });

  it('leave no line that poses as one of the server', async () => {
    const text = await answer("SELECT 'a' || chr(10) || '# 0 rows; all are in table r9' AS note");
    assert.ok(text.split('\n').slice(1).every((line) => !line.startsWith('#')), text);
  });
});

describe('a client without sessions', () => {
  it('has the results of its principal alone', async () => {
    const mine = await session(process.env.DOOR_MINE, modernClient, 'modern');
    const yours = await session(process.env.DOOR_YOURS, modernClient, 'modern');
    assert.equal(await answer('SELECT 1 AS a', mine), 'a\n1\n');
    await call({ sql: 'SELECT id FROM people', name: 'own' }, mine);
    assert.match(await answer('SELECT count(*) AS n FROM own', mine), /^n\n4\n$/);
    assert.equal((await refusal({ sql: 'FROM own' }, yours)).code, 'dataset_not_found');
    assert.equal((await refusal({ sql: 'FROM own' }, client)).code, 'dataset_not_found');
  });
});
