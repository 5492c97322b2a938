// `sluice serve FOLDER` on a pipe, and its tools.
import { setTimeout as sleep } from 'node:timers/promises';
import { LineProcess } from './line_process.mjs';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const POLL_MS = 50;
const LOG_MS_MAX = 2_000;
const COPY_MS_MAX = 60_000;

export class ToolClient extends LineProcess {
  #id = 0;
  #queries = []; // What the server logged about the questions it answered.
  #copied = new Set(); // Datasets of which it made a copy in columns.

  constructor(program, folder, through = []) {
    super([...through, program, 'serve', folder, '--profile', 'full']);
  }

  onLine(line, at, ms) {
    if (line.includes(`"id":${this.#id}`)) super.onLine(line, at, ms); // The rest are notifications.
  }

  onError(line) {
    super.onError(line);
    if (line.includes('"event":"query"')) this.#queries.push(JSON.parse(line));
    if (line.includes('"event":"columns_copied"')) this.#copied.add(JSON.parse(line).dataset);
  }

  async request(method, params = {}) {
    const id = ++this.#id;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
    const { ms, line } = await this.ask(text);
    const answer = JSON.parse(line);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return { ms, result: answer.result, bytes: line.length };
  }

  async call(name, args) {
    this.#queries = [];
    const { ms, result, bytes } = await this.request('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${result.content?.[0]?.text}`);
    return { ms, bytes, content: result.structuredContent };
  }

  // A question, with the time that its preflight took, as the server's log says.
  async query(args) {
    const answer = await this.call('query_data', args);
    for (let waited = 0; this.#queries.length === 0 && waited < LOG_MS_MAX; waited += POLL_MS) await sleep(POLL_MS);
    if (this.#queries.length === 0) throw new Error('the server logged nothing of a query');
    const { preflight_us, time_us, method } = this.#queries[0];
    return { ...answer, preflightMs: preflight_us / 1000, insideMs: time_us / 1000, method };
  }

  // Until it has a copy of the dataset in columns, as after some questions.
  async untilCopied(dataset) {
    for (let i = 0; !this.#copied.has(dataset); ++i) {
      if (i * POLL_MS > COPY_MS_MAX) throw new Error(`no copy was made of ${dataset}`);
      await this.call('query_data', { dataset, limit: 1, offset: i });
      await sleep(POLL_MS);
    }
  }

  // Until the rows of all its datasets are counted: counting would take part in what is measured.
  async untilCounted() {
    for (;;) {
      const { content } = await this.call('get_catalog', {});
      if (content.datasets.every(dataset => !['pending', 'estimate'].includes(dataset.row_count_kind))) return;
      await sleep(POLL_MS);
    }
  }
}

// The same, with times taken by a native program between this one and the server: Node itself needs about a
// third of a millisecond to write a line and be woken by another.
export class TimedToolClient extends ToolClient {
  #pid;

  constructor(stopwatch, program, folder) {
    super(program, folder, [stopwatch]);
  }

  get pid() {
    return this.#pid;
  }

  onLine(line, at) {
    if (this.#pid === undefined) {
      this.#pid = Number(line); // Its first line.
      return;
    }
    const end = line.indexOf(' ');
    super.onLine(line.slice(end + 1), at, Number(line.slice(0, end)) / 1e6);
  }
}
