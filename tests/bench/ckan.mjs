// Portals: a kept dataset, what a read adds to the portal's own time, and a large file beside curl.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { HttpServer, Load } from './processes.mjs';
import { markdown, median, medianOf, number, targetText, verdict } from './table.mjs';

const FILE_BYTES = 100_000_000;
const READS = 300;
const FILES = 11;
const SETTLE_MS = 500;
const SMALL_FILE = Buffer.from('day,region\n2024-01-01,1\n');

const execute = promisify(execFile);

function csv(bytes) {
  const lines = ['day,region,number,amount,note'];
  let size = lines[0].length;
  for (let i = 0; size < bytes; ++i) {
    const line = `2024-${String(1 + (i % 12)).padStart(2, '0')}-01,region ${i % 20},${i},${(i * 7) % 1000}.25,a note about row ${i}`;
    lines.push(line);
    size += line.length + 1;
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

// A portal that answers at once: one dataset under any name, and one resource whose file it has.
class Portal {
  static async start(file) {
    const portal = new Portal();
    const resources = Array.from({ length: 20 }, (_, i) => ({ id: `r${i}`, name: `resource ${i}`, format: 'CSV' }));
    const dataset = { id: 'kept', title: 'A dataset', resources, notes: 'the end of the dataset' };
    portal.server = http.createServer((request, response) => {
      if (request.url.startsWith('/file')) {
        const body = request.url.endsWith('/small') ? SMALL_FILE : file;
        response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Length': body.length, ETag: `"${request.url}"` });
        return response.end(body);
      }
      const id = new URL(request.url, 'http://portal').searchParams.get('id');
      const result = request.url.includes('resource_show') ? { id, format: 'CSV', url: `${portal.base}/file/${id}` } : dataset;
      const body = JSON.stringify({ success: true, result });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      return response.end(body);
    });
    await new Promise(resolve => portal.server.listen(0, '127.0.0.1', resolve));
    portal.base = `http://127.0.0.1:${portal.server.address().port}`;
    return portal;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

// One connection, one request after the other.
class Client {
  constructor(port) {
    this.port = port;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  }

  ask(options, body) {
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      const request = http.request({ agent: this.agent, ...options }, response => {
        const pieces = [];
        response.on('data', piece => pieces.push(piece));
        response.on('end', () => resolve({ text: Buffer.concat(pieces).toString(), ms: performance.now() - begin }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  async request(method, params, name) {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method, 'Mcp-Name': name, 'Content-Length': Buffer.byteLength(body) };
    const answer = await this.ask({ host: '127.0.0.1', port: this.port, path: '/mcp', method: 'POST', headers }, body);
    if (!answer.text.includes('"result"') || answer.text.includes('"isError":true')) throw new Error(answer.text.slice(0, 300));
    return answer;
  }

  read(uri) {
    return this.request('resources/read', { uri }, uri);
  }

  queryFile(id, arguments_ = { limit: 5 }) {
    return this.request('tools/call', { name: 'ckan_query_file', arguments: { server_url: 'portal', resource_id: id, ...arguments_ } },
      'ckan_query_file');
  }
}

export class CkanBench {
  constructor({ build, rounds, plan, say }) {
    Object.assign(this, { rounds, plan, say });
    this.sluice = path.join(build, 'sluice');
    this.folder = path.join(build, 'bench/data/ckan');
    this.load = new Load(path.join(build, 'bench/bench_load'));
  }

  async run() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    this.portal = await Portal.start(csv(FILE_BYTES));
    const config = path.join(this.folder, 'sluice.yaml');
    writeFileSync(config, `portals:\n  - { host: portal, base: "${this.portal.base}", allow_private: true, rate: 1000000, burst: 1000000 }\n`);
    const server = await HttpServer.start([this.sluice, 'serve', config, '--http', '0']);
    try {
      return { kept: await this.kept(server), added: await this.added(server), ...(await this.file(server)) };
    } finally {
      server.stop();
      this.portal.stop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  async kept(server) {
    this.say('a dataset that is kept');
    await new Client(server.port).read('ckan://portal/dataset/kept');
    const runs = [];
    for (let round = 0; round < this.rounds; ++round) runs.push(await this.load.http(server, 'portal', this.plan));
    return runs;
  }

  // Medians of the same number of requests to the server and to the portal itself, in turn.
  async added(server) {
    this.say('datasets that are not kept');
    const ours = new Client(server.port);
    const theirs = new Client();
    const times = { ours: [], theirs: [] };
    for (let i = 0; i < READS; ++i) {
      times.ours.push((await ours.read(`ckan://portal/dataset/d${i}`)).ms);
      times.theirs.push((await theirs.ask({ host: '127.0.0.1', port: this.portal.server.address().port, path: `/api/3/action/package_show?id=d${i}` })).ms);
    }
    return { ours: median(times.ours), theirs: median(times.theirs) };
  }

  async file(server) {
    this.say(`a file of ${FILE_BYTES / 1e6} MB`);
    const client = new Client(server.port);
    await client.queryFile('small'); // Opens the engine, which is no part of what a large file takes.
    await sleep(SETTLE_MS);
    const idle = server.memory().resident;
    const times = { ours: [], curl: [] };
    let most = 0;
    for (let i = 0; i < FILES; ++i) {
      const begin = performance.now();
      await execute('curl', ['-s', '-o', path.join(this.folder, 'copy.csv'), `${this.portal.base}/file/curl`]);
      times.curl.push(performance.now() - begin);
      const watching = setInterval(() => { most = Math.max(most, server.memory().resident); }, 20);
      times.ours.push((await client.queryFile(`f${i}`)).ms);
      clearInterval(watching);
    }
    return { first: { ours: median(times.ours), theirs: median(times.curl) }, memory: most - idle, most };
  }
}

export function ckanTable(measured) {
  const rows = [];
  const add = (what, target, ours, theirs) => {
    const ratio = theirs === undefined ? undefined : ours / theirs;
    rows.push([what, targetText(target), number(ours), number(theirs), ratio === undefined ? '' : `${number(ratio)} ×`,
      verdict(target, ours, undefined)]);
  };
  add('a dataset that is kept, over HTTP: requests per second of processor time', { atLeast: 15_000 },
    medianOf(measured.kept, 'requests_per_cpu_second'));
  add('one that is not kept: ms beside the portal\'s own answer', { atMost: 2 }, measured.added.ours - measured.added.theirs);
  add('first rows of a CSV of 100 MB, ms; curl', { atMost: Math.round(measured.first.theirs * 1.3) }, measured.first.ours,
    measured.first.theirs);
  add('the most memory meanwhile, MB above idle', { atMost: 64 }, measured.memory);
  add('the same in all, MB', {}, measured.most);
  return markdown([['CKAN portals', 'target', 'Sluice', 'other', 'ratio', 'verdict'], ['---', '---', '---', '---', '---', '---'], ...rows]);
}
