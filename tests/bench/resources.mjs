// Files and databases as resources and datasets, beside the servers that people use for them now.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LineProcess } from './line_process.mjs';
import { PostgresServer } from './postgres.mjs';
import { HttpServer, Load } from './processes.mjs';
import { markdown, median, medianOf, number, targetText, verdict } from './table.mjs';
import { ToolClient } from './tool_client.mjs';
import { QuietServer, writeSource } from './toolbox.mjs';

const NOTE_BYTES = 4096;
const FILES = 100_000;
const FILES_IN_FOLDER = 1_000;
const WATCHED = 10_000;
const CHANGES = 300;
const LISTS = 11;

const ROWS_SQL = `CREATE TABLE twenty (number int, city text, price float8, day text, note text);
CREATE ROLE reader LOGIN; GRANT SELECT ON twenty TO reader;`;

// A client of the legacy era, which subscribes to one URI at a time.
class Subscriber extends LineProcess {
  #id = 0;
  #heard = new Map();

  onLine(line, at) {
    const message = JSON.parse(line);
    if (message.id === this.#id) super.onLine(line, at);
    if (message.method !== 'notifications/resources/updated') return;
    this.#heard.get(message.params.uri)?.(at);
  }

  async request(method, params) {
    const id = ++this.#id;
    const { line } = await this.ask(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const answer = JSON.parse(line);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  async open() {
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }

  heard(uri) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`nothing was heard of ${uri}`)), 10_000);
      this.#heard.set(uri, at => {
        clearTimeout(late);
        this.#heard.delete(uri);
        resolve(at);
      });
    });
  }
}

export class ResourcesBench {
  constructor({ root, build, modules, rounds, plan, say }) {
    Object.assign(this, { root, modules, rounds, plan, say });
    this.sluice = path.join(build, 'sluice');
    this.data = path.join(build, 'bench/data');
    this.folder = path.join(this.data, 'resources');
    this.load = new Load(path.join(build, 'bench/bench_load'), path.join(this.folder, 'notes'));
  }

  config(name, text) {
    const file = path.join(this.folder, `${name}.yaml`);
    writeFileSync(file, text);
    return file;
  }

  async run() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(path.join(this.folder, 'notes'), { recursive: true });
    try {
      return { file: await this.files(), list: await this.listing(), change: await this.changes(), ...(await this.databases()) };
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  async files() {
    this.say('files');
    const end = ' the end of the note\n';
    writeFileSync(path.join(this.folder, 'notes/note.txt'), 'x'.repeat(NOTE_BYTES - end.length) + end);
    const config = this.config('files', 'files: [ { path: notes } ]\nresource_tools: false\n');
    const theirs = [path.join(this.root, '.deps/node/bin/node'),
      path.join(this.modules, '@modelcontextprotocol/server-filesystem/dist/index.js'), path.join(this.folder, 'notes')];
    const runs = { http: [], pipe: { ours: [], theirs: [] } };
    const server = await HttpServer.start([this.sluice, 'serve', config, '--http', '0']);
    try {
      for (let round = 0; round < this.rounds; ++round) {
        runs.http.push(await this.load.http(server, 'file', this.plan));
        runs.pipe.ours.push(await this.load.pipe([this.sluice, 'serve', config], 'file', this.plan));
        runs.pipe.theirs.push(await this.load.pipe(theirs, 'file-elsewhere', this.plan));
      }
    } finally {
      server.stop();
    }
    return runs;
  }

  async listing() {
    this.say(`${FILES} files`);
    for (let i = 0; i < FILES; ++i) {
      const folder = path.join(this.folder, `many/d${Math.floor(i / FILES_IN_FOLDER)}`);
      if (i % FILES_IN_FOLDER === 0) mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `f${i}.txt`), 'x');
    }
    const client = new ToolClient(this.sluice, this.config('many', 'files: [ { path: many } ]\n'));
    try {
      const times = [];
      for (let i = 0; i < LISTS; ++i) times.push((await client.request('resources/list')).ms);
      return times;
    } finally {
      await client.stop();
    }
  }

  async changes() {
    this.say(`${WATCHED} watched`);
    const client = new Subscriber([this.sluice, 'serve', this.config('watched', 'files: [ { path: many } ]\n')]);
    try {
      await client.open();
      const uriOf = i => `file:///d${Math.floor(i / FILES_IN_FOLDER)}/f${i}.txt`;
      for (let i = 0; i < WATCHED; ++i) await client.request('resources/subscribe', { uri: uriOf(i * 10) });
      const times = [];
      for (let k = 0; k < CHANGES; ++k) {
        const i = ((k * 7919) % WATCHED) * 10;
        const heard = client.heard(uriOf(i));
        const begin = performance.now();
        writeFileSync(path.join(this.folder, `many/d${Math.floor(i / FILES_IN_FOLDER)}/f${i}.txt`), String(k));
        times.push((await heard) - begin);
      }
      return times.sort((a, b) => a - b);
    } finally {
      await client.stop();
    }
  }

  async rows(ours, theirs, runs) {
    for (let round = 0; round < this.rounds; ++round) {
      runs.ours.push(await this.load.http(ours, 'table', this.plan));
      runs.theirs.push(await this.load.http(theirs, 'rows-elsewhere', this.plan));
    }
    return runs;
  }

  async pair(name, config, tools, toolbox) {
    const servers = [];
    try {
      servers.push(await QuietServer.start([this.sluice, 'serve', this.config(name, config), '--profile', 'full', '--http', 'PORT'], { LOG_LEVEL: 'error' }));
      servers.push(await QuietServer.start([toolbox, '--config', tools, '--port', 'PORT', '--log-level', 'ERROR',
        '--disable-version-check', '--disable-reload']));
      return await this.rows(servers[0], servers[1], { ours: [], theirs: [] });
    } finally {
      for (const server of servers) server.stop();
    }
  }

  async databases() {
    this.say('databases');
    const toolbox = path.join(this.modules, '@toolbox-sdk/server-linux-x64/bin/toolbox');
    if (!existsSync(toolbox)) throw new Error('MCP Toolbox is not installed: scripts/bootstrap --for bench');
    const csv = path.join(this.data, 'small/twenty.csv');
    const tools = await writeSource(path.join(this.folder, 'toolbox'), csv);
    const sqlite = await this.pair('sqlite', `databases: [ { name: rows, url: "sqlite:${path.join(this.folder, 'toolbox/twenty.db')}" } ]\n`,
      tools, toolbox);
    const server = await PostgresServer.start();
    try {
      const lines = readFileSync(csv, 'utf8').trim().split('\n').slice(1);
      server.sql(`${ROWS_SQL}\nINSERT INTO twenty VALUES ${lines.map(line => {
        const [count, city, price, day, note] = line.split(',');
        return `(${count},'${city}',${price},'${day}','${note}')`;
      }).join(',')};`);
      const file = path.join(this.folder, 'toolbox/postgres.yaml');
      writeFileSync(file, ['sources:', '  rows:', '    kind: postgres', '    host: 127.0.0.1', `    port: "${server.port}"`,
        '    database: postgres', '    user: reader', '    password: none', 'tools:', '  twenty_rows:', '    kind: postgres-sql',
        '    source: rows', '    description: Twenty rows.', '    statement: SELECT number, city, price, day, note FROM twenty', ''].join('\n'));
      const url = `postgres://reader@127.0.0.1:${server.port}/postgres`;
      const postgres = await this.pair('postgres', `databases: [ { name: rows, url: "${url}" } ]\n`, file, toolbox);
      return { sqlite, postgres };
    } finally {
      await server.stop();
    }
  }
}

export function resourcesTable({ file, list, change, sqlite, postgres }) {
  const row = (what, target, ours, theirs) => {
    const ratio = theirs === undefined ? undefined : ours / theirs;
    return [what, targetText(target), number(ours), number(theirs), ratio === undefined ? '' : `${number(ratio)} ×`,
      verdict(target, ours, ratio)];
  };
  const rate = runs => medianOf(runs, 'requests_per_second');
  const rows = [
    row('`resources/read` of 4 KB over HTTP, one core, requests/s', { atLeast: 15_000 }, rate(file.http)),
    row('the same over stdio, beside server-filesystem, requests/s', { ratio: 10 }, rate(file.pipe.ours), rate(file.pipe.theirs)),
    row('first page of 100,000 files, ms', { atMost: 50 }, median(list)),
    row('a change to its notification, 10,000 watched, p99, ms', { atMost: 100 }, change[Math.floor(change.length * 0.99)]),
    row('the same, median, ms', {}, median(change)),
    row('20 rows of SQLite over HTTP, beside Toolbox, requests/s', { ratio: 3 }, rate(sqlite.ours), rate(sqlite.theirs)),
    row('20 rows of PostgreSQL over HTTP, beside Toolbox, requests/s', { ratio: 2 }, rate(postgres.ours), rate(postgres.theirs)),
  ];
  const head = ['Measured', 'Target', 'Sluice', 'The other', 'Ratio', 'Verdict'];
  return markdown([head, ['---', '--:', '--:', '--:', '--:', '---'], ...rows]);
}
