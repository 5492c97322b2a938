// An analyst's work with the lean tools: every question of questions.json, its answer compared, in few calls.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'node:test';

import { connect, modernClient } from '../e2e/connection.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const { questions, nested, careless } = JSON.parse(readFileSync(join(HERE, 'questions.json'), 'utf8'));
const CALLS_MAX = 20;
const STATEMENTS_A_CALL = 8;

// The rows of CSV text: quotes are doubled inside of quoted cells; an empty cell is null, "" the empty text.
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1).push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain === '' ? null : plain);
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1 || row[0] !== null);
}

function assertRows(text, expected, question) {
  const rows = parseCsv(text);
  assert.deepEqual(rows[0], expected[0], question);
  assert.equal(rows.length, expected.length, `${question}\n${text}`);
  for (let i = 1; i < rows.length; i++) {
    for (let j = 0; j < rows[i].length; j++) {
      const [got, wanted] = [rows[i][j], expected[i][j]];
      if (typeof wanted === 'number') assert.ok(Math.abs(Number(got) - wanted) < 1e-9, `${question}: ${got} for ${wanted}`);
      else assert.equal(got, wanted, question);
    }
  }
}

async function served(t) {
  const { client } = await connect(t, modernClient({ capabilities: {} }),
    { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', join(HERE, 'data'), '--profile', 'lean'] });
  return client;
}

it('answers every question rightly, in few calls of which none fails', async (t) => {
  const client = await served(t);
  let calls = 0;
  const call = async (name, args) => {
    calls += 1;
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, result.content[0].text);
    return result.content[0].text;
  };
  const catalog = await call('catalog', {});
  for (const table of ['airports', 'capitals', 'earthquakes', 'flights', 'orders', 'penguins', 'visits', 'weather'])
    assert.match(catalog, new RegExp(`^${table} ~?\\d+: `, 'm'));
  await call('describe', { datasets: ['*'] });
  const all = [...questions, ...nested];
  for (let i = 0; i < all.length; i += STATEMENTS_A_CALL) {
    const some = all.slice(i, i + STATEMENTS_A_CALL);
    const text = await call('query', { sql: some.map((one) => one.sql) });
    const parts = text.split(/^-- \d+\n/m).slice(1);
    assert.equal(parts.length, some.length);
    parts.forEach((part, k) => assertRows(part, some[k].answer, some[k].question));
  }
  assert.ok(all.length >= 30 && calls <= CALLS_MAX, `${calls} calls for ${all.length} questions`);
});

it('answers careless questions with a few rows and a table that holds the rest', async (t) => {
  const client = await served(t);
  for (const { sql } of careless) {
    const text = (await client.callTool({ name: 'query', arguments: { sql } })).content[0].text;
    assert.match(text, /^# \d+ of [\d,]+ rows shown; all are in table r\d+ \(\d+ min\)\n/);
    assert.ok(text.length < 1000, `${text.length} characters for ${sql}`);
  }
});
