// Tables that the configuration does not offer: a server that has them beside it answers as one that has not, byte by
// byte, whatever name a caller tries.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';

import { connect, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';

const SLUICE = binary('SLUICE');

const CONFIG = `collections:
  - { name: files, path: "files/{topic}.csv" }
  - { name: years, path: "years/{year}/{table}.csv", dimensions: { year: integer } }
databases:
  - { name: shop, url: "sqlite:shop.db" }
tools: { profile: all }
`;

const WRITTEN = new Date('2024-05-01T12:00:00Z');

// Each is near a visible name, ends as one does, or differs from one in its case or in what `_` stands for.
const HIDDEN = [
  'people.csv', 'salaries.csv', 'shop/persons.csv', 'secret/people.csv', 'secret/labels.csv', 'secret/sales-2024.csv', 'files/deep/labels.csv', 'files/deep/orders.csv',
  'files/labels.tsv', 'files/LABELS.json', 'files/peopl.txt', 'years/labels.csv', 'years/2024/deep/sums.csv', 'years/late/sums.csv', 'years/2025.csv', 'People2.db',
];

async function served(t, hasHidden) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hidden-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path, text) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), WRITTEN, WRITTEN);
  };
  write('sluice.yaml', CONFIG);
  write('files/labels.csv', 'status,label\nopen,to do\ndone,over\n');
  write('files/my-notes.2024.csv', 'id,note\n1,first\n');
  write('years/2023/sums.csv', 'id,amount\n1,10\n2,20\n');
  write('years/2024/sums.csv', 'id,amount\n3,30\n');
  const database = new DatabaseSync(join(folder, 'shop.db'));
  database.exec(`CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
    CREATE TABLE orders(id INTEGER PRIMARY KEY, person INTEGER); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 2)`);
  if (hasHidden) {
    for (const path of HIDDEN) write(path, path.endsWith('.json') ? '[{"id": 1, "secret": 4711}]' : 'id,secret\n1,4711\n');
  }
  database.close();
  const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, 'sluice.yaml'), '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return connect(t, modernClient({ capabilities: {} }), { sdk: 'modern', transport: 'http', server });
}

// Names of visible and hidden tables, and of none, as somebody might write them.
function spellings() {
  const names = ['labels', 'people', 'orders', 'my-notes.2024', 'sums', 'salaries', 'persons', 'peopl', 'People2', 'peopled', 'sales-2024', 'secret', 'nothing', 'years', 'files', 'shop'];
  const out = new Set();
  for (const name of names) {
    const folded = name.replaceAll(/[-.]/g, '_');
    for (const one of [name, folded, name.toUpperCase(), `shop.${folded}`, `shop/${name}`, `files/${name}`, `secret/${name}`, `years/2024/${name}`, `years/${name}`, `${name}.csv`, name.slice(0, -1)]) {
      if (/^[a-z_][a-z0-9_.]*$/i.test(one)) out.add(one);
      out.add(`"${one}"`);
    }
    for (const uri of [`db://shop/${name}`, `dataset://${name}/schema`, `files://${name}`]) out.add(`"${uri}"`);
  }
  return [...out];
}

const unquoted = (name) => name.replaceAll('"', '');

// What a caller can ask about a name, in both profiles.
function questions() {
  const out = [
    ['catalog', {}],
    ['catalog', { match: 'secret' }],
    ['catalog', { match: '4711' }],
    ['catalog', { match: 'sal' }],
    ['describe', { datasets: ['*'] }],
    ['describe', { datasets: ['*sal*', 'shop/*'] }],
    ['get_catalog', {}],
    ['query', { sql: 'SELECT * FROM years ORDER BY id' }],
    ['query', { sql: 'SELECT * FROM years WHERE year = 2024' }],
    ['query', { sql: 'SELECT * FROM files' }],
  ];
  for (const name of spellings()) {
    out.push(['query', { sql: `SELECT * FROM ${name} LIMIT 3` }]);
    out.push(['query', { sql: `SELECT p.name FROM shop.people p JOIN ${name} x ON x.id = p.id ORDER BY 1`, explain: true }]);
    out.push(['describe', { datasets: [unquoted(name)] }]);
    out.push(['get_schema', { dataset: unquoted(name) }]);
    out.push(['estimate_query', { dataset: unquoted(name) }]);
    out.push(['query_data', { dataset: unquoted(name), limit: 2 }]);
  }
  return out;
}

// Without what differs between two servers anyway: times, random handles and names.
function comparable(result) {
  return JSON.stringify(result)
    .replaceAll(/"(result_handle|page_token|handle|expires_at|name)\\?":\\?"[A-Za-z0-9_:.-]{6,}\\?"/g, '"$1":"…"')
    .replaceAll(/[A-Za-z0-9_-]{22}/g, '…')
    .replaceAll(/\br\d{6}\b/g, 'r…');
}

// Both answers. On a busy machine statistics and counts may come too late for one of the servers, which has them the next
// time; what a hidden table changes stays different.
async function settled(calls) {
  for (let attempt = 1; ; ++attempt) {
    const answers = await Promise.all(calls.map((call) => call()));
    if (attempt === 20 || comparable(answers[0]) === comparable(answers[1])) return answers;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('a table that is not offered', () => {
  it('changes no byte of any answer, estimate, explanation, error or list', { timeout: 120_000 }, async (t) => {
    const without = await served(t, false);
    const beside = await served(t, true);
    const asked = questions();
    assert.ok(asked.length > 1500, `${asked.length} questions`);
    const codes = new Map();
    let answered = 0;
    for (const [name, args] of asked) {
      const [expected, found] = await settled([without, beside].map(({ client }) => () => client.callTool({ name, arguments: args })));
      assert.equal(comparable(found), comparable(expected), `${name} ${JSON.stringify(args)}`);
      assert.ok(!JSON.stringify(found).includes('4711') || args.match === '4711', `${name} ${JSON.stringify(args)}`);
      if (!found.isError) ++answered;
      else {
        const { code } = JSON.parse(found.content[0].text);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    // The matrix reaches what it is about.
    assert.ok(answered > 100, `${answered} answers`);
    assert.ok(codes.get('dataset_not_found') > 500, JSON.stringify([...codes]));
    assert.ok(codes.size >= 2, JSON.stringify([...codes]));
    for (const list of ['listTools', 'listResources', 'listResourceTemplates', 'listPrompts']) {
      const [expected, found] = await Promise.all([without, beside].map(({ client }) => client[list]()));
      assert.deepEqual(found, expected, list);
    }
    assert.equal(beside.client.getInstructions(), without.client.getInstructions());
  });
});
