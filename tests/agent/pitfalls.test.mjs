// What the lean tools say about data that would spoil an answer, over files that have such data.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';

import { connect, modernClient } from '../e2e/connection.mjs';
import { until } from '../e2e/waiting.mjs';

const BUSY_MS_MAX = 45_000;
const numbers = (count) => Array.from({ length: count }, (_, i) => i);
const csv = (...lines) => lines.flat().join('\n') + '\n';

let folder;
let client;
const ends = [];
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-pitfalls-'));
  const files = {
    'people.csv': csv('id,name,team', '1,Ann,red', '2,Bob,blue', '3,Cid,red', '4,Dan,'),
    'teams.csv': csv('team,city', 'red,Rome', 'blue,Oslo'),
    'events.csv': csv('id,day,price', '1,Jan 1 2000,"$1,200"', '2,Feb 3 2001,$900', '3,Mar 9 2002,"$1,050"'),
    'stamps.json': JSON.stringify(['2001/01/01 06:55', '2001/01/01 08:47', '2001/02/01 09:24'].map((stamp) => ({ stamp }))),
    // Half of the numbers and 70 % of the labels of sales are in items; all of those that come first are.
    'items.csv': csv('item,label', numbers(1000).map((i) => `${i},L${i}x`)),
    'sales.csv': csv('item,label,n', numbers(1000).map((i) => `${2 * i},L${i < 700 ? i : i + 1000}x,1`)),
    'cities.csv': csv('city,day,size', numbers(500).map((i) => `city ${i % 40},${i % 25},${i}.5`)),
    'deep.json': JSON.stringify({ a: { b: { c: { d: { e: { f: { g: 7 } } } } } } }),
    'handle/day.csv': csv('x', '7'),
  };
  mkdirSync(join(folder, 'handle'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  ({ client } = await connect({ after: (end) => ends.push(end) }, modernClient({ capabilities: {} }),
    { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', folder] }));
});
after(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true });
});

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  return result.content[0].text;
}
const query = (sql, more = {}) => call('query', { sql, ...more });

// What describe says once all of it is known.
function described(args) {
  return until('the statistics are known', async () => {
    const text = await call('describe', args);
    return !text.includes('not known yet') && text;
  }, BUSY_MS_MAX);
}

it('tells of a group without a key in whatever column the key is, and of no other null', async () => {
  const note = '# team is null in one of the first groups; team IS NOT NULL leaves it out\n';
  for (const sql of ['SELECT team, count(*) AS n FROM people GROUP BY team ORDER BY team NULLS FIRST',
    'SELECT count(*) AS n, team FROM people GROUP BY team ORDER BY n, team NULLS FIRST',
    "SELECT 'x' AS x, max(id) AS m, team FROM people GROUP BY ALL ORDER BY m DESC"])
    assert.ok((await query(sql)).startsWith(note), sql);
  for (const sql of ['SELECT max(nullif(id, 2)) AS m, team FROM people WHERE team IS NOT NULL GROUP BY team ORDER BY m NULLS FIRST',
    'SELECT team, name FROM people ORDER BY team NULLS FIRST -- group by team', 'SELECT id, team FROM people ORDER BY id DESC'])
    assert.doesNotMatch(await query(sql), /is null in one of/, sql);
});

it('says how to read text that sorts otherwise than what it holds, if a statement sorts or compares it', async () => {
  const day = "# day has dates as text: strptime(day, '%b %d %Y')\n";
  const price = "# price has numbers as text: CAST(regexp_replace(price, '[$€£%, ]', '', 'g') AS DOUBLE)\n";
  await until('the first rows were read in time', async () => (await query('SELECT id FROM events ORDER BY price, day')).startsWith(day + price), BUSY_MS_MAX);
  for (const sql of ['SELECT id FROM events ORDER BY day DESC', 'SELECT max(day) AS last FROM events', "SELECT id FROM events WHERE day > '2001'",
    "SELECT e.id FROM events e WHERE '2001' <= e.day", "SELECT id FROM events WHERE day BETWEEN 'A' AND 'Z'",
    'SELECT id, row_number() OVER (ORDER BY "DAY") AS n FROM events JOIN people USING (id)', 'SELECT id FROM events ORDER BY day DESC'])
    assert.ok((await query(sql)).startsWith(day), sql);
  assert.ok((await query('SELECT id FROM events ORDER BY price')).startsWith(price));
  assert.ok((await query('SELECT id FROM events ORDER BY price, day')).startsWith(day + price));
  for (const sql of ["SELECT day FROM events WHERE day = 'Jan 1 2000'", 'SELECT day FROM events ORDER BY id', "SELECT day FROM events WHERE day LIKE 'Jan%'",
    "SELECT id FROM events ORDER BY strptime(day, '%b %d %Y')", 'SELECT * FROM stamps ORDER BY stamp', 'SELECT name FROM people ORDER BY name'])
    assert.doesNotMatch(await query(sql), /as text/, sql);
  assert.equal(await query('SELECT id FROM events ORDER BY day LIMIT 1', { format: 'json' }), '[{"id":2}]\n');
});

it('tells the share of all values that match a key, not of the first', async () => {
  await described({ datasets: ['items'] });
  const text = await described({ datasets: ['sales'] });
  assert.doesNotMatch(text, /= items\.item/);
  const [, share] = text.match(/; = items\.label (\d+) %/) ?? assert.fail(text);
  assert.ok(Math.abs(share - 70) <= 18, text);
});

it('tells how many values there are, keys, and how to read dates with times', async () => {
  assert.equal(await described({ datasets: ['cities'] }),
    "cities 500 rows\ncity e.g. 'city 0'; 40 distinct\nday int 0..24; 25 distinct\nsize real 0.5..499.5; 500 distinct\n");
  assert.match(await described({ datasets: ['items'] }), /^label key e\.g\. L0x/m);
  assert.match(await described({ datasets: ['stamps'] }), /strptime\(stamp, '%Y\/%m\/%d %H:%M'\)/);
});

it('tells more of many tables if the call says how much it may be', async () => {
  const datasets = ['people', 'teams', 'events', 'items', 'cities'];
  assert.match(await described({ datasets }), /^team: red, blue$/m);
  assert.match(await described({ datasets, max_tokens: 4000 }), /^team: red 2, blue 1; 1 null/m);
});

it('reaches members of deeply nested structs, and tables in folders that are called like results', async () => {
  assert.match(await described({ datasets: ['deep'] }), /^a\.b\.c\.d\.e\.f\.g int: 7/m);
  assert.equal(await query('SELECT a.b.c.d.e.f.g FROM deep'), 'g\n7\n');
  assert.match(await call('catalog', { match: 'day' }), /^"handle\/day" 1: x int$/m);
  assert.equal(await query('FROM "handle/day"'), 'x\n7\n');
});

it('leads on where a table, a column or a file has nothing', async () => {
  const unknown = JSON.parse(await query('SELECT * FROM main.people'));
  assert.match(unknown.error, /no table is called main\.people/);
  assert.equal(unknown.hint, 'Did you mean "people"?');
  assert.equal(await described({ datasets: ['people'], columns: ['nobody'] }), 'people 4 rows\nno such column; there are id, name, team\n');
  assert.ok((await query('SELECT id FROM people WHERE id > 9', { format: 'csv' })).startsWith('# 0 rows in '));
  assert.match(await query('SELECT id FROM people', { max_rows: 1 }), /^# 1 of 4 rows shown; all are in table r\d+ \(20 min\)\n/);
});
