// What an analyst's questions cost an agent in tokens: Sluice beside MCP Toolbox and DBHub, which have the same tables in SQLite.
//
//   node agent_tokens.mjs SLUICE MODULES
//
// MODULES is where `scripts/bootstrap --for bench` puts its packages. Counts with the o200k tokenizer: the definitions of all tools
// with the instructions, what lists and describes the tables, the answers to the questions of tests/agent, and the
// answers to careless ones. Every question is asked in each server's own dialect, several in one call where the server can.
// Questions about nested files, which SQLite has no place for, are a table of their own.
// Fails if Sluice needs more than the cheaper of its peers, more than 20 calls, or over 3 % more than agent_tokens.json says; a change
// that is meant is written there.
import { createRequire } from 'node:module';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const AGENT = path.join(HERE, '../agent');
const STATEMENTS_A_CALL = 8;
const CALLS_MAX = 20;
const PEERS = 2;
const TABLES_CALLS_MAX = 30;
const TABLES_WAIT_MS = 500;

function readCsv(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  const names = head.split(',');
  const cells = (line) => [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].slice(0, names.length)
    .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i], cell !== '' && !isNaN(cell) ? Number(cell) : cell])));
}

// The files that the peers can load: nested ones have no place in SQLite.
const FLAT = { airports: 'airports.csv', weather: 'weather.csv', flights: 'flights.json', penguins: 'penguins.json', capitals: 'capitals.json' };

// The others, as tables of Sluice.
const NESTED = ['earthquakes', 'earthquakes.about', 'orders', 'visits'];

// The flat files as tables of a SQLite file.
function writeDatabase(file) {
  const database = new DatabaseSync(file);
  for (const [name, source] of Object.entries(FLAT)) {
    const from = path.join(AGENT, 'data', source);
    const rows = source.endsWith('.csv') ? readCsv(from) : JSON.parse(readFileSync(from, 'utf8'));
    const columns = Object.keys(rows[0]);
    const types = columns.map((c) => (rows.every((row) => row[c] == null || typeof row[c] === 'number') ? 'REAL' : 'TEXT'));
    database.exec(`CREATE TABLE ${name} (${columns.map((c, i) => `"${c}" ${types[i]}`).join(', ')})`);
    const insert = database.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`);
    database.exec('BEGIN');
    for (const row of rows) insert.run(...columns.map((c) => row[c] ?? null));
    database.exec('COMMIT');
  }
  database.close();
}

class Measured {
  constructor(count) {
    this.count = count;
    this.tokens = { definitions: 0, plot: 0, tables: 0, answers: 0, careless: 0 };
    this.calls = 0;
    this.failed = 0;
  }

  add(part, text) {
    this.tokens[part] += this.count(text);
  }
}

// Waits until the statistics are known that an answer says to be still computed.
async function settled(client, { name, arguments: given }) {
  for (let i = 0; i < TABLES_CALLS_MAX; ++i) {
    const { content } = await client.callTool({ name, arguments: given });
    if (!content.some((one) => one.text?.includes('are not known yet'))) return;
    await sleep(TABLES_WAIT_MS);
  }
  throw new Error(`${name} does not settle`);
}

// One server on a pipe, asked as an agent would. An answer costs what is shown of it: the text of its content.
async function measure(sdk, count, { command, args, env, tablesCall, batches, careless }) {
  const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'bench', version: '1' }, {});
  await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, ...env }, stderr: 'ignore' }));
  const out = new Measured(count);
  try {
    const { tools } = await client.listTools();
    // No question asks for a picture, and no peer draws one: `plot` has a line of its own.
    out.add('definitions', JSON.stringify(tools.filter(({ name }) => name !== 'plot')) + (client.getInstructions() ?? ''));
    const plot = tools.find(({ name }) => name === 'plot');
    if (plot) out.add('plot', JSON.stringify(plot));
    const call = async (part, { name, arguments: given }) => {
      out.calls += 1;
      const result = await client.callTool({ name, arguments: given });
      const text = result.content.map((one) => one.text ?? '').join('\n');
      if (result.isError) {
        out.failed += 1;
        console.error(`${command}: ${text.slice(0, 300)}`);
      }
      out.add(part, text);
    };
    // Every table is looked at before, so that describe knows which keys its columns refer to.
    for (let round = 0; round < 2; ++round) for (const one of tablesCall) await settled(client, one);
    for (const one of tablesCall) await call('tables', one);
    for (const batch of batches) await call('answers', batch);
    const spent = { calls: out.calls };
    for (const one of careless) await call('careless', one);
    out.calls = spent.calls;
  } finally {
    await client.close();
  }
  return out;
}

function chunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

export async function measureAgentTokens(sluice, modules, sdkModules) {
  const sdk = createRequire(path.join(sdkModules, 'package.json'));
  const { encode } = createRequire(path.join(modules, 'package.json'))('gpt-tokenizer/encoding/o200k_base');
  const count = (text) => encode(text).length;
  const { questions, nested, careless } = JSON.parse(readFileSync(path.join(AGENT, 'questions.json'), 'utf8'));
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-tokens-'));
  const database = path.join(folder, 'data.db');
  try {
    writeDatabase(database);
    const flat = path.join(folder, 'flat');
    mkdirSync(flat);
    for (const file of Object.values(FLAT)) copyFileSync(path.join(AGENT, 'data', file), path.join(flat, file));
    const inBatches = (some) => chunks(some, STATEMENTS_A_CALL).map((few) => ({ name: 'query', arguments: { sql: few.map((one) => one.sql) } }));
    const execute = (sql) => ({ name: 'execute_sql', arguments: { sql } });
    const servers = {
      Sluice: {
        command: sluice, args: ['serve', flat], env: { LOG_LEVEL: 'error' },
        tablesCall: [{ name: 'catalog', arguments: {} }, { name: 'describe', arguments: { datasets: Object.keys(FLAT) } }],
        batches: inBatches(questions),
        careless: careless.map((one) => ({ name: 'query', arguments: { sql: one.sql } })),
      },
      'MCP Toolbox': {
        command: path.join(modules, '@toolbox-sdk/server-linux-x64/bin/toolbox'), args: ['--prebuilt', 'sqlite', '--stdio', '--disable-version-check'],
        env: { SQLITE_DATABASE: database },
        tablesCall: [{ name: 'list_tables', arguments: { table_names: '', output_format: 'detailed' } }],
        batches: questions.map((one) => execute(one.sqlite)),
        careless: careless.map((one) => execute(one.sql)),
      },
      DBHub: {
        // Its SQLite module is compiled for this Node.
        command: process.execPath, args: [path.join(modules, '@bytebase/dbhub/dist/index.js'), '--transport', 'stdio', '--dsn', `sqlite://${database}`],
        tablesCall: [{ name: 'search_objects', arguments: { object_type: 'column', pattern: '%', detail_level: 'names' } }],
        batches: chunks(questions, STATEMENTS_A_CALL).map((some) => execute(some.map((one) => one.sqlite).join(';\n'))),
        careless: careless.map((one) => execute(one.sql)),
      },
    };
    const out = { servers: {} };
    for (const [name, server] of Object.entries(servers)) {
      try {
        out.servers[name] = await measure(sdk, count, server);
      } catch (error) {
        if (name === 'Sluice') throw error;
        console.error(`bench: ${name} was not measured: ${error.message}`);
      }
    }
    out.nested = await measure(sdk, count, {
      command: sluice, args: ['serve', path.join(AGENT, 'data')], env: { LOG_LEVEL: 'error' },
      tablesCall: [{ name: 'describe', arguments: { datasets: NESTED } }], batches: inBatches(nested), careless: [],
    });
    out.questions = { flat: questions.length, nested: nested.length, careless: careless.length };
    return out;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const total = (one) => one.tokens.definitions + one.tokens.tables + one.tokens.answers;

export function agentTokensTable({ servers, nested, questions }) {
  const names = Object.keys(servers);
  const line = (label, value) => label.padEnd(34) + names.map((name) => value(servers[name]).toLocaleString('en').padStart(14)).join('');
  const nestedLine = (label, value) => label.padEnd(34) + value.toLocaleString('en').padStart(14);
  return [
    'tokens'.padEnd(34) + names.map((name) => name.padStart(14)).join(''),
    line('definitions and instructions', (one) => one.tokens.definitions),
    line('tables and columns', (one) => one.tokens.tables),
    line(`answers to ${questions.flat} questions`, (one) => one.tokens.answers),
    line('all of these', total),
    line('calls', (one) => one.calls),
    line('failed calls', (one) => one.failed),
    line(`answers to ${questions.careless} careless questions`, (one) => one.tokens.careless),
    line('beside these: definition of plot', (one) => one.tokens.plot),
    '',
    'tokens, nested files'.padEnd(34) + 'Sluice'.padStart(14),
    nestedLine('tables and columns', nested.tokens.tables),
    nestedLine(`answers to ${questions.nested} questions`, nested.tokens.answers),
    nestedLine('calls', nested.calls),
    nestedLine('failed calls', nested.failed),
  ].join('\n');
}

// What Sluice may need, by the figures that were written down last.
export function checkAgentTokens({ servers, nested }) {
  const { Sluice: ours, ...peers } = servers;
  const written = JSON.parse(readFileSync(path.join(HERE, 'agent_tokens.json'), 'utf8'));
  const now = {
    total: total(ours), careless: ours.tokens.careless, calls: ours.calls, nested: nested.tokens.tables + nested.tokens.answers, nested_calls: nested.calls,
  };
  for (const [name, value] of Object.entries(now)) {
    if (value > written[name] * 1.03) throw new Error(`an analyst's questions cost ${value} (${name}), over 3 % more than ${written[name]}`);
  }
  if (ours.failed + nested.failed > 0) throw new Error(`${ours.failed + nested.failed} calls failed`);
  if (ours.calls + nested.calls > CALLS_MAX) throw new Error(`${ours.calls + nested.calls} calls instead of at most ${CALLS_MAX}`);
  if (Object.keys(peers).length < PEERS) throw new Error('not all servers were measured');
  for (const [name, peer] of Object.entries(peers)) {
    if (total(ours) > total(peer)) throw new Error(`an analyst's questions cost ${total(ours)} tokens, and ${total(peer)} with ${name}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , sluice, modules, sdkModules = path.join(HERE, '../../.deps/npm/node_modules')] = process.argv;
  const results = await measureAgentTokens(sluice, modules, sdkModules);
  console.log(agentTokensTable(results));
  checkAgentTokens(results);
}
