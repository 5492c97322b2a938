// A million rows as files: by REST and by links, what the first byte, the rest and the memory for it cost.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { HttpServer } from './processes.mjs';
import { markdown, median, number, targetText, verdict } from './table.mjs';

const ROWS = 1_000_000;
const ROUNDS = 5;
const LOOK_MS = 3;
const PUBLIC = 'https://data.example.org';
const FORMATS = ['csv', 'ndjson', 'json', 'arrow', 'parquet'];
const TARGETS = { first: { atMost: 50 }, rate: { atLeast: 100 }, memory: { atMost: 32 } };
const KEPT = { first: {}, rate: { atLeast: 500 }, memory: { atMost: 32 } };

const execute = promisify(execFile);

function makeRows(file) {
  const lines = ['id,name,amount,day,note'];
  for (let i = 0; i < ROWS; ++i)
    lines.push(`${i},customer number ${i % 977},${(i % 1000) / 8},2024-01-${String(1 + (i % 28)).padStart(2, '0')},some words ${i % 13}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
}

export class ExportsBench {
  constructor({ build, say }) {
    this.program = path.join(build, 'sluice');
    this.say = say;
    this.folder = path.join(build, 'bench/exports');
  }

  async run() {
    mkdirSync(path.join(this.folder, 'data'), { recursive: true });
    const file = path.join(this.folder, 'data/sales.csv');
    if (!existsSync(file)) makeRows(file);
    const config = path.join(this.folder, 'sluice.yaml');
    writeFileSync(config, `server: { public_url: "${PUBLIC}" }
collections: [ { path: data } ]
tools: { profile: full }
rest: {}
`);
    this.server = await HttpServer.start([this.program, 'serve', config, '--http', '127.0.0.1:0']);
    try {
      return await this.#measure();
    } finally {
      this.server.stop();
    }
  }

  async #measure() {
    const rows = [];
    const url = (format) => `http://127.0.0.1:${this.server.port}/api/v1/query?format=${format}&sql=${encodeURIComponent('SELECT * FROM sales')}`;
    await this.#fetch(url('csv'));
    for (const format of FORMATS) {
      this.say(`exports: REST, ${format}`);
      rows.push({ what: `REST, ${format}`, targets: format === 'csv' ? TARGETS : {}, runs: await this.#runs(() => url(format)) });
    }
    for (const format of FORMATS) {
      this.say(`exports: links, ${format}`);
      const made = await this.#runs(async () => (await this.#link()).replace('.csv?', `.${format}?`));
      rows.push({ what: `link, ${format}, converted while it is sent`, targets: format === 'csv' ? TARGETS : {}, runs: made });
      const link = (await this.#link()).replace('.csv?', `.${format}?`);
      await this.#fetch(link);
      rows.push({ what: `link, ${format}, from the spool`, targets: format === 'parquet' ? KEPT : {}, runs: await this.#runs(() => link) });
    }
    return rows;
  }

  async #runs(urlOf) {
    const runs = [];
    for (let round = 0; round < ROUNDS; ++round) runs.push(await this.#fetch(await urlOf()));
    return Object.fromEntries(Object.keys(runs[0]).map((key) => [key, median(runs.map((run) => run[key]))]));
  }

  // First byte in ms, MB/s, MB of memory above what there was, and MB for each second of processor time.
  async #fetch(url) {
    const idle = this.#privateMegabytes();
    let peak = idle;
    const watch = setInterval(() => { peak = Math.max(peak, this.#privateMegabytes()); }, LOOK_MS);
    const cpu = this.#cpuSeconds();
    const { stdout } = await execute('taskset', ['-c', '1', 'curl', '--silent', '--fail', '--output', '/dev/null', '--write-out',
      '%{time_starttransfer} %{time_total} %{size_download}', url]);
    clearInterval(watch);
    const [first, total, bytes] = stdout.split(' ').map(Number);
    const used = Math.max(this.#cpuSeconds() - cpu, 0.01);
    return { first: first * 1000, rate: bytes / 1e6 / total, memory: peak - idle, ofCpu: bytes / 1e6 / used };
  }

  // The link of a new result, so that nothing has been made of it.
  async #link() {
    const response = await fetch(`http://127.0.0.1:${this.server.port}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'query_data' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'query_data',
          arguments: { dataset: 'sales', confirm: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const { result } = await response.json();
    return result.structuredContent.download.url.replace(PUBLIC, `http://127.0.0.1:${this.server.port}`);
  }

  #privateMegabytes() {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.server.child.pid}/status`, 'utf8'))[1]) / 1024;
  }

  #cpuSeconds() {
    const fields = readFileSync(`/proc/${this.server.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }
}

export function exportsTable(rows) {
  const lines = rows.flatMap(({ what, targets, runs }) => [
    ['first byte, ms', 'first'], ['MB/s', 'rate'], ['MB for each second of processor time', 'ofCpu'], ['memory above idle, MB', 'memory'],
  ].map(([unit, key]) => [`1 M rows, ${what}: ${unit}`, targetText(targets[key] ?? {}), number(runs[key]), verdict(targets[key] ?? {}, runs[key])]));
  return markdown([['Measured', 'Target', 'Sluice', 'Verdict'], ['---', '--:', '--:', '---'], ...lines]);
}
