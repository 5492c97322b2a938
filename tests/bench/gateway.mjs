// Other servers behind Sluice: what that costs, and what it saves, beside calling them directly and beside mcp-proxy.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { HttpServer } from './processes.mjs';
import { markdown, median, medianOf, number, targetText, verdict } from './table.mjs';
import { ToolClient } from './tool_client.mjs';

const CALLERS = 1_000;
const READ_MS = 300;
const UPSTREAMS = 50;
const SLOWEST_MS = 1_000;
const POLL_MS = 5;
const IN_FLIGHT = 16;
const READY_MS_MAX = 30_000;
const LIBRARY_READS = 2_000;
const DOCUMENT = 'instructions.md';

const execute = promisify(execFile);

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

// A client of the legacy era over HTTP, which every proxy speaks.
class LegacyHttp {
  constructor(port) {
    this.agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
    this.port = port;
    this.id = 0;
  }

  post(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'Content-Length': Buffer.byteLength(body), ...(this.session ? { 'Mcp-Session-Id': this.session } : {}),
      'MCP-Protocol-Version': '2025-11-25' };
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port: this.port, path: '/mcp', method: 'POST', headers, agent: this.agent }, response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => { text += chunk; });
        response.on('end', () => resolve({ response, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async open() {
    const { response, text } = await this.post({ id: ++this.id, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } } });
    this.session = response.headers['mcp-session-id'];
    if (response.statusCode !== 200) throw new Error(`initialize: ${response.statusCode} ${text}`);
    await this.post({ method: 'notifications/initialized' });
  }

  async call(name, expected) {
    const { text } = await this.post({ id: ++this.id, method: 'tools/call', params: { name, arguments: {} } });
    if (!text.includes(expected)) throw new Error(`${name}: ${text.slice(0, 300)}`);
  }

  // Calls per second, so many under way at once.
  async rate(name, expected, seconds) {
    const end = performance.now() + seconds * 1000;
    let calls = 0;
    await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
      for (; performance.now() < end; ++calls) await this.call(name, expected);
    }));
    return calls / seconds;
  }

  close() {
    this.agent.destroy();
  }
}

// Resolves once the server has said that it listens; `said` is what it said.
function startUpstream(node, args, pattern, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
    child.stderr.on('data', data => {
      const said = pattern.exec(data);
      if (said) resolve({ said: said[0], stop: () => child.kill('SIGKILL') });
    });
    child.on('exit', () => reject(new Error('the upstream ended')));
  });
}

export class GatewayBench {
  constructor({ root, build, modules, benchModules, load, rounds, plan, say }) {
    Object.assign(this, { root, modules, benchModules, load, rounds, plan, say });
    this.node = path.join(root, '.deps/node/bin/node');
    this.sluice = path.join(build, 'sluice');
    this.upstream = path.join(build, 'examples/everything_server');
    this.keptRead = path.join(build, 'bench/bench_kept_read');
    this.folder = path.join(build, 'bench/data/gateway');
    this.slow = path.join(root, 'tests/bench/gateway_upstream.mjs');
  }

  config(name, upstreams) {
    const file = path.join(this.folder, `${name}.yaml`);
    writeFileSync(file, JSON.stringify({ upstreams, resource_tools: false }));
    return file;
  }

  async run() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    try {
      return { call: await this.calls(), read: await this.reads(), flight: await this.flight(), connect: await this.connects(),
        proxy: await this.proxies() };
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  // One call at a time: what is added to each.
  async calls() {
    this.say('gateway: calls');
    const plan = { ...this.plan, inFlight: 1 };
    const behind = [this.sluice, 'serve', this.config('call', { up: { command: this.upstream } })];
    const runs = { direct: [], behind: [] };
    for (let round = 0; round < this.rounds; ++round) {
      runs.direct.push(await this.load.pipe([this.upstream], 'call', plan));
      runs.behind.push(await this.load.pipe(behind, 'call-behind', plan));
    }
    return runs;
  }

  // The same read with and without what is kept, of the official server behind HTTP: within a program that uses the library,
  // and through a server on a pipe, one at a time and several.
  async reads() {
    this.say('gateway: reads');
    const single = { ...this.plan, inFlight: 1 };
    const port = 20_000 + (process.pid % 20_000);
    const url = `http://127.0.0.1:${port}/mcp`;
    const everything = path.join(this.modules, '@modelcontextprotocol/server-everything/dist');
    const server = await startUpstream(this.node, [path.join(everything, 'index.js'), 'streamableHttp'], /listening on port/, { PORT: String(port) });
    const runs = { library: [], kept: [], fetched: [], keptRate: [], fetchedRate: [] };
    try {
      const kept = [this.sluice, 'serve', this.config('kept', { up: { url } })];
      const fetched = [this.sluice, 'serve', this.config('fetched', { up: { url, cache: { enabled: false } } })];
      for (let round = 0; round < this.rounds; ++round) {
        const { stdout } = await execute(this.keptRead, [url, `demo://resource/static/document/${DOCUMENT}`,
          path.join(everything, 'docs', DOCUMENT), String(LIBRARY_READS)]);
        runs.library.push(JSON.parse(stdout));
        runs.fetched.push(await this.load.pipe(fetched, 'read-behind', single));
        runs.kept.push(await this.load.pipe(kept, 'read-behind', single));
        runs.fetchedRate.push(await this.load.pipe(fetched, 'read-behind', this.plan));
        runs.keptRate.push(await this.load.pipe(kept, 'read-behind', this.plan));
      }
    } finally {
      server.stop();
    }
    return runs;
  }

  // Many callers at once of what nobody has read yet.
  async flight() {
    this.say(`gateway: ${CALLERS} callers`);
    const upstream = await startUpstream(this.node, [this.slow, String(READ_MS)], /http:\S+/);
    const server = await HttpServer.start([this.sluice, 'serve', this.config('flight', { up: { url: upstream.said } }), '--http', '0']);
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    const post = (method, params, name) => new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MODERN } });
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': name, 'Content-Length': Buffer.byteLength(body) };
      const sent = httpRequest({ host: '127.0.0.1', port: server.port, path: '/mcp', method: 'POST', headers, agent }, response => {
        let text = '';
        response.on('data', chunk => { text += chunk; });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end(body);
    });
    try {
      const uri = 'up+test://slow';
      const texts = await Promise.all(Array.from({ length: CALLERS }, () => post('resources/read', { uri }, uri)));
      const answered = texts.filter(text => text.includes('read at last')).length;
      const count = await post('tools/call', { name: 'up.count', arguments: {} }, 'up.count');
      return { answered, reads: Number(/"text":"(\d+)"/.exec(count)[1]) };
    } finally {
      agent.destroy();
      server.stop();
      upstream.stop();
    }
  }

  // Servers that take up to a second to answer.
  async connects() {
    this.say(`gateway: ${UPSTREAMS} upstreams`);
    const upstream = await startUpstream(this.node, [this.slow, '0'], /http:\S+/);
    const upstreams = Object.fromEntries(Array.from({ length: UPSTREAMS }, (_, i) =>
      [`u${i}`, { url: `${upstream.said}/slow/${Math.round(((i + 1) / UPSTREAMS) * SLOWEST_MS)}`, era: 'legacy' }]));
    const begin = performance.now();
    const client = new ToolClient(this.sluice, this.config('connect', upstreams));
    try {
      for (;;) {
        const { content } = await client.call('diagnose', {});
        const ready = content.sources.filter(({ state }) => state === 'ready').length;
        if (ready === UPSTREAMS) return (performance.now() - begin) / SLOWEST_MS;
        if (performance.now() - begin > READY_MS_MAX) throw new Error(`only ${ready} upstreams are ready`);
        await sleep(POLL_MS);
      }
    } finally {
      await client.stop();
      upstream.stop();
    }
  }

  // The same stdio server behind either, the same client in front.
  async proxies() {
    this.say('gateway: beside mcp-proxy');
    const expected = 'This is a simple text response for testing.';
    const ours = await HttpServer.start([this.sluice, 'serve', this.config('proxy', { up: { command: this.upstream, era: 'legacy' } }), '--http', '0']);
    const port = 20_000 + (process.pid % 20_000);
    const theirs = spawn('taskset', ['-c', '0', this.node, path.join(this.benchModules, 'mcp-proxy/dist/bin/mcp-proxy.mjs'), '--host', '127.0.0.1',
      '--port', String(port), '--server', 'stream', '--', this.upstream], { stdio: 'ignore' });
    const clients = { ours: new LegacyHttp(ours.port), theirs: new LegacyHttp(port) };
    const rates = { ours: [], theirs: [] };
    try {
      for (const client of Object.values(clients)) await this.opened(client);
      for (let round = 0; round < this.rounds; ++round) {
        rates.ours.push(await clients.ours.rate('up.test_simple_text', expected, this.plan.seconds));
        rates.theirs.push(await clients.theirs.rate('test_simple_text', expected, this.plan.seconds));
      }
      return rates;
    } finally {
      for (const client of Object.values(clients)) client.close();
      ours.stop();
      theirs.kill('SIGTERM');
    }
  }

  async opened(client) {
    for (let waited = 0; ; waited += 100) {
      try {
        return await client.open();
      } catch (error) {
        if (waited > READY_MS_MAX) throw error;
        await sleep(100);
      }
    }
  }
}

export function gatewayTable({ call, read, flight, connect, proxy }) {
  const p50 = runs => medianOf(runs, 'p50_us');
  const rate = runs => medianOf(runs, 'requests_per_second');
  const row = (what, target, ours, theirs, ratio) =>
    [what, targetText(target), number(ours), number(theirs), ratio === undefined ? '' : `${number(ratio)} ×`, verdict(target, ours, ratio)];
  const keptHere = medianOf(read.library, 'kept_us');
  const fetchedHere = medianOf(read.library, 'fetched_us');
  const rows = [
    row('a call passed through adds, µs (median)', { atMost: 150 }, p50(call.behind) - p50(call.direct), p50(call.direct)),
    row('a read that is kept, within one process (`ToolNode::read_resource`), µs, beside one that is fetched', { ratio: 20 }, keptHere, fetchedHere,
      fetchedHere / keptHere),
    row('a read that is kept, through `sluice serve` on a pipe, one at a time, µs, beside one that is fetched', {}, p50(read.kept),
      p50(read.fetched), p50(read.fetched) / p50(read.kept)),
    row(`reads that are kept on the same pipe, ${IN_FLIGHT} at a time, reads/s, beside fetched ones, which share a fetch`, {}, rate(read.keptRate), rate(read.fetchedRate),
      rate(read.keptRate) / rate(read.fetchedRate)),
    row(`upstream reads for ${CALLERS} callers at once (${flight.answered} answered)`, { atMost: 1 }, flight.reads),
    row(`${UPSTREAMS} upstreams ready, times the slowest`, { atMost: 1.5 }, connect),
    row('calls/s in front of a stdio server, beside mcp-proxy', { ratio: 5 }, median(proxy.ours), median(proxy.theirs),
      median(proxy.ours) / median(proxy.theirs)),
  ];
  const head = ['Measured', 'Target', 'Sluice', 'Beside it', 'Ratio', 'Verdict'];
  return markdown([head, ['---', '--:', '--:', '--:', '--:', '---'], ...rows]);
}
