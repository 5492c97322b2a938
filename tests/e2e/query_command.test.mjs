// `sluice query`: one SELECT for a person, as a table, CSV, JSON or a Parquet file.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { binary } from './server_process.mjs';
import { until, within } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const DATA = fileURLToPath(new URL('../agent/data', import.meta.url));
const PSEUDO_TERMINAL = fileURLToPath(new URL('pseudo_terminal.py', import.meta.url));
const CANCEL_SECONDS_MAX = 2;
const STOP_SECONDS_MAX = 1.2;  // Of a query that obeys: after 1.5 seconds the process ends even if it does not.
const PIPE_BYTES = 1 << 20;

const folder = mkdtempSync(join(tmpdir(), 'sluice-query-test-'));
const temporary = join(folder, 'temporary');  // Where the program makes its own files.
mkdirSync(temporary);
const environment = { ...process.env, TMPDIR: temporary, LOG_LEVEL: 'warning' };
after(() => rmSync(folder, { recursive: true }));

// Would run for hours: every airport with every other, twice.
const ENDLESS = 'SELECT count(*) FROM airports a, airports b, airports c WHERE a.latitude + b.latitude < c.latitude + 1';

function query(...args) {
  const { status, stdout, stderr } = spawnSync(SLUICE, ['query', ...args],
    { encoding: 'utf8', env: environment, timeout: 20_000, maxBuffer: 1 << 28 });
  assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
  return { status, stdout, stderr };
}

function onTerminal(columns, pattern, ...args) {
  const { stdout, stderr, status } = spawnSync('python3', [PSEUDO_TERMINAL, String(columns), pattern, SLUICE, 'query', ...args],
    { encoding: 'utf8', env: environment, timeout: 25_000 });
  assert.equal(status, 0, stderr);
  assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
  const ended = JSON.parse(stdout);
  // What a reader sees: a busy machine may take long enough for a progress line, which is then removed.
  return { ...ended, seen: ended.output.replace(/(\r\x1b\[K[^\r]*)*\r\x1b\[K/g, '') };
}

function start(...args) {
  const child = spawn(SLUICE, ['query', ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  return { child, ended };
}

// Hundredths of a second that the process has computed.
function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

// Whether the process has yet to take a signal that it was sent. One that has ended has taken it.
function isPending(pid) {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^ShdPnd:\s*0+$/m.test(readFileSync(status, 'utf8'));
}

async function isCancelled({ child, ended }, status = 130, secondsMax = CANCEL_SECONDS_MAX) {
  const began = performance.now();
  const end = await within(10_000, 'the end of the process', ended);
  assert.deepEqual(end, { code: status, signal: null });
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < secondsMax, `it took ${seconds} s`);
  assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
  child.stdout.destroy();
}

describe('sluice query --explain', () => {
  it('says what a database sends, and runs nothing', () => {
    const shop = mkdtempSync(join(folder, 'explained-'));
    const made = spawnSync('python3', ['-c', `import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, price REAL)")
base.executemany("INSERT INTO orders VALUES (?, ?, ?)", [(i, "CA" if i % 2 else "NY", i / 4) for i in range(100)])
base.commit()`, join(shop, 'shop.sqlite')], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    writeFileSync(join(shop, 'states.csv'), 'code,name\nCA,California\nNY,New York\n');
    const sql = "SELECT name, count(*) AS n FROM orders JOIN states ON state = code WHERE id < 10 AND lower(name) LIKE 'c%' GROUP BY name";
    const explained = query(shop, '--explain', sql);
    assert.equal(explained.status, 0, explained.stderr);
    assert.match(explained.stdout, /^# nothing was run$/m);
    assert.match(explained.stdout, /orders: .*; its database sends rows with id < 10$/m);
    assert.match(explained.stdout, /^states: (?:\S+ rows|not counted); columns code, name$/m);
    assert.equal(query(shop, '--csv', sql).stdout, 'name,n\nCalifornia,5\n');
  });

  it('refuses what cannot run', () => {
    const { status, stderr } = query(DATA, '--explain', 'SELECT * FROM airprots');
    assert.equal(status, 1);
    assert.match(stderr, /airports/);
  });
});

describe('sluice query', () => {
  it('prints an aligned table and how many rows there are', () => {
    const { status, stdout, stderr } = query(DATA,
      'SELECT city, count(*) AS n FROM flights JOIN airports ON origin = iata GROUP BY city ORDER BY n DESC, city LIMIT 3');
    assert.equal(status, 0, stderr);
    assert.equal(stdout, [
      'city              |   n',
      '------------------+----',
      'Chicago           | 138',
      'Dallas-Fort Worth | 102',
      'Los Angeles       |  83', ''].join('\n'));
    assert.equal(stderr, '(3 rows)\n');
  });

  it('takes a data file and a configuration as well', () => {
    assert.match(query(join(DATA, 'airports.csv'), 'SELECT count(*) AS n FROM airports').stdout, /\n3376\n$/);
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `collections: [ { name: trips, path: "${DATA}" } ]\nspool: { path: "${join(folder, 'spool')}" }\n`);
    assert.match(query(config, 'SELECT count(*) AS n FROM airports').stdout, /\n3376\n$/);
    assert.deepEqual(readdirSync(join(folder, 'spool')), [], 'nothing is left in the configured spool');
  });

  it('shows 1,000 rows of a larger answer, or as many as are asked for', () => {
    const usual = query(DATA, 'SELECT iata FROM airports');
    assert.equal(usual.stdout.split('\n').length, 1000 + 3);
    assert.match(usual.stderr, /^\(1,000 of 3,376 rows; --rows N shows more, --csv prints all\)\n$/);
    const few = query(DATA, '--rows', '2', 'SELECT iata FROM airports');
    assert.equal(few.stdout.split('\n').length, 2 + 3);
    assert.match(few.stderr, /^\(2 of 3,376 rows/);
    assert.match(query(DATA, '--rows', '5000', 'SELECT iata FROM airports').stderr, /^\(3,376 rows\)\n$/);
  });

  it('prints all rows as CSV', () => {
    const { status, stdout, stderr } = query(DATA, '--csv', 'SELECT * FROM airports');
    assert.equal(status, 0, stderr);
    assert.equal(stdout.trimEnd().split('\n').length, 3377);
    assert.match(stdout, /^iata,name,city,state,country,latitude,longitude\n00M,Thigpen,/);
    assert.equal(stderr, '');
    assert.equal(query(DATA, '--csv', `SELECT 'a,"b' AS x, NULL AS y, '' AS z`).stdout, 'x,y,z\n"a,""b",,""\n');
    const large = query(DATA, '--csv', "SELECT a.iata, b.iata FROM airports a, airports b WHERE b.iata < '1'");
    assert.ok(large.stdout.length > PIPE_BYTES, 'more than is collected before it is written');
    assert.match(large.stdout, /\n$/);
  });

  it('prints all rows as JSON', () => {
    const { status, stdout } = query(DATA, '--json', 'SELECT iata, latitude, NULL AS nothing FROM airports ORDER BY iata');
    assert.equal(status, 0);
    const rows = JSON.parse(stdout);
    assert.equal(rows.length, 3376);
    assert.deepEqual(rows[0], { iata: '00M', latitude: 31.95376472, nothing: null });
    assert.deepEqual(JSON.parse(query(DATA, '--json', "SELECT 1 AS a WHERE 1 = 0").stdout), []);
  });

  it('writes all rows to a Parquet file, and replaces one only if it is told to', () => {
    const out = join(folder, 'out');
    mkdirSync(out);
    const file = join(out, 'airports.parquet');
    const written = query(DATA, '--parquet', file, 'SELECT * FROM airports');
    assert.equal(written.status, 0, written.stderr);
    assert.equal(written.stdout, '');
    assert.match(written.stderr, /^\(3,376 rows written to .*airports\.parquet\)\n$/);
    assert.deepEqual(readdirSync(out), ['airports.parquet']);
    assert.match(query(file, 'SELECT count(DISTINCT iata) AS n, typeof(any_value(latitude)) AS t FROM airports').stdout, /3376 \| DOUBLE/);
    const before = statSync(file).ino;
    const refused = query(DATA, '--parquet', file, 'SELECT 1 AS a');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /the file exists: .*\n +--force replaces it\.\n$/);
    assert.equal(statSync(file).ino, before);
    assert.equal(query(DATA, '--parquet', file, '--force', 'SELECT 1 AS a').status, 0);
    assert.match(query(file, 'SELECT * FROM airports').stdout, /^a\n-\n1\n$/);
    assert.equal(query(DATA, '--parquet', join(out, 'wrong.parquet'), 'SELECT wrong FROM airports').status, 1);
    assert.deepEqual(readdirSync(out), ['airports.parquet']);
    assert.match(query(DATA, '--parquet', join(out, 'missing', 'a.parquet'), 'SELECT 1').stderr, /No such file/);
  });

  it('ends with 1 where the question is wrong, and says what to do', () => {
    const cases = [
      [[DATA, 'SELECT * FROM airprts'], /no table is called airprts \(line 1, column 15\)\n +Did you mean "airports"\?/],
      [[DATA, 'SELECT * FROM zzzzzzzz'], /no table is called zzzzzzzz \(line 1, column 15\)\n +The tables are airports, capitals, .*….\n$/],
      [[DATA, 'SELECT wrong FROM airports'], /unknown column: wrong \(line 1, column 8\)\n +The columns are iata varchar, name varchar, /],
      [[DATA, 'DROP TABLE airports'], /other than SELECT/],
      [[DATA, 'SELECT * FROM range(1000000000)'], /range/],
      [[DATA, "SELECT * FROM read_text('/etc/passwd')"], /read_text/],
      [[join(folder, 'missing'), 'SELECT 1'], /missing: No such file/],
      [[DATA, '--timeout', '1', ENDLESS], /ran out of time/],
    ];
    for (const [args, message] of cases) {
      const { status, stdout, stderr } = query(...args);
      assert.equal(status, 1, args.join(' '));
      assert.match(stderr, message);
      assert.equal(stdout, '');
    }
  });

  it('ends with 2 where it is used wrongly', () => {
    const sql = 'SELECT 1';
    for (const args of [[], [DATA], [DATA, sql, 'more'], [DATA, sql, '--csv', '--json'], [DATA, sql, '--csv', '--rows', '5'],
      [DATA, sql, '--rows', '0'], [DATA, sql, '--timeout', '0'], [DATA, sql, '--timeout', '86401'], [DATA, sql, '--force'],
      [DATA, sql, '--parquet'], [DATA, sql, '--nonsense']]) {
      const { status, stderr } = query(...args);
      assert.equal(status, 2, args.join(' '));
      assert.notEqual(stderr, '');
    }
  });

  it('stops where nobody reads its output any more', async () => {
    const { child, ended } = start(DATA, '--csv', 'SELECT a.*, b.* FROM airports a, airports b');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    assert.deepEqual(await within(10_000, 'the end', ended), { code: 141, signal: null });
    assert.deepEqual(readdirSync(temporary), []);
  });
});

describe('a signal', () => {
  it('cancels the running query', async () => {
    for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) {
      const running = start(DATA, ENDLESS);
      await until('the engine computes', () => ticks(running.child.pid) > 50);
      running.child.kill(signal);
      await isCancelled(running, status, STOP_SECONDS_MAX);
    }
  });

  it('cancels a query over a database', async () => {
    const shop = mkdtempSync(join(folder, 'shop-'));
    const made = spawnSync('python3', ['-c', `import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("CREATE TABLE airports (latitude REAL)")
base.executemany("INSERT INTO airports VALUES (?)", [(i / 100,) for i in range(5000)])
base.commit()`, join(shop, 'shop.sqlite')], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    const running = start(shop, ENDLESS);
    await until('the engine computes', () => ticks(running.child.pid) > 50);
    running.child.kill('SIGINT');
    await isCancelled(running, 130, STOP_SECONDS_MAX);
  });

  it('leaves neither the file nor its beginnings behind', async () => {
    const out = mkdtempSync(join(folder, 'cancelled-'));
    const running = start(DATA, '--parquet', join(out, 'all.parquet'), 'SELECT a.*, b.*, c.name FROM airports a, airports b, airports c');
    const spooled = () => readdirSync(temporary, { recursive: true, withFileTypes: true })
      .some((entry) => entry.isFile() && statSync(join(entry.parentPath ?? entry.path, entry.name), { throwIfNoEntry: false })?.size > 0);
    await until('rows are written to the spool', spooled);
    assert.equal(readdirSync(out).length, 1, 'a temporary file waits for them');
    running.child.kill('SIGINT');
    await isCancelled(running, 130, STOP_SECONDS_MAX);
    assert.deepEqual(readdirSync(out), []);
  });

  it('ends a process whose output nobody reads', async () => {
    const running = start(DATA, '--csv', 'SELECT a.*, b.* FROM airports a, airports b');
    await once(running.child.stdout, 'readable');  // And is not read: the pipe fills.
    await until('the process waits for its reader', () => readFileSync(`/proc/${running.child.pid}/stat`, 'utf8').split(') ')[1][0] === 'S');
    running.child.kill('SIGINT');
    await isCancelled(running);
  });

  it('ends the process at once if it comes a second time', async () => {
    const running = start(DATA, '--csv', 'SELECT a.*, b.* FROM airports a, airports b');
    await once(running.child.stdout, 'readable');
    running.child.kill('SIGINT');
    await until('the first signal is taken', () => !isPending(running.child.pid));
    running.child.kill('SIGINT');
    await isCancelled(running, 130, 1);
  });
});

describe('on a terminal', () => {
  const large = join(folder, 'large');

  before(() => {
    mkdirSync(large);
    const made = query(DATA, '--parquet', join(large, 'pairs.parquet'),
      "SELECT a.iata AS a, b.iata AS b, a.name || b.name AS names FROM airports a, airports b WHERE b.iata < '3'");
    assert.equal(made.status, 0, made.stderr);
  });

  it('cuts a table to the width of the terminal', () => {
    const { seen, status } = onTerminal(60, '', DATA, 'SELECT * FROM airports ORDER BY length(name) DESC LIMIT 3');
    assert.equal(status, 0);
    const lines = seen.split('\r\n');
    assert.ok(lines.slice(0, 5).every((line) => [...line].length <= 60), seen);
    assert.match(lines[2], /…/);
    assert.match(seen, /\(3 rows\)/);
  });

  it('is never given what would act on it', () => {
    const hostile = "SELECT chr(27) || '[2J' AS a, chr(155) || '31m' AS b, chr(8238) || 'x' AS c";
    for (const option of [[], ['--csv'], ['--json']]) {
      const { seen, status } = onTerminal(120, '', DATA, ...option, hostile);
      assert.equal(status, 0);
      assert.doesNotMatch(seen, /[\x1b\x9b\u202e]/, option[0]);
      assert.match(seen, /\\u001b\[2J/);
    }
    const { seen } = onTerminal(120, '', DATA, 'SELECT * FROM "\x1b[31mred"');
    assert.doesNotMatch(seen, /\x1b/);
  });

  it('shows how far a long query is, and Ctrl-C cancels it', () => {
    const slow = `SELECT count(DISTINCT ${'sha256('.repeat(15)}names${')'.repeat(15)}) FROM pairs`;
    const { output, status, seconds } = onTerminal(80, '\\[#+\\.*\\] +[1-9]\\d* %', large, slow);
    assert.match(output, /\[#+\.*\] +[1-9]\d* % \d+\.\d s, Ctrl-C cancels/);
    assert.equal(status, 130);
    assert.ok(seconds < CANCEL_SECONDS_MAX, `it took ${seconds} s`);
    assert.match(output, /\r\x1b\[K$/, 'the progress line is removed');
  });

  it('leaves nothing but the answer', () => {
    const { seen } = onTerminal(80, '', DATA, 'SELECT 1 AS a');
    assert.equal(seen, 'a\r\n-\r\n1\r\n(1 row)\r\n');
  });
});
