// Questions over data: as a tool call, as the SQL of its plan, and in Polars, in turns within one run.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LineProcess } from './line_process.mjs';
import { HttpServer } from './processes.mjs';
import { FILES, QUESTIONS } from './questions.mjs';
import { median } from './table.mjs';
import { TimedToolClient } from './tool_client.mjs';
import { measureRowsOverHttp } from './toolbox.mjs';

const WARM_UPS = 2;
const FIRSTS = 3;
const TURNS_MS = 6_000;
const TURNS_MAX = 151;
const PAGES = 20;
const COLD_STARTS = 20;
const SETTLE_MS = 2_000;

function medians(runs) {
  const entries = Object.entries(runs).map(([name, times]) => [name, times.length > 0 ? median(times) : undefined]);
  return Object.fromEntries(entries);
}

// What the programs need: {root, build, modules, load, rounds, questionRounds, plan, say}.
export class QueryBench {
  constructor(setting) {
    Object.assign(this, setting);
    this.data = path.join(this.build, 'bench/data');
    this.sluice = path.join(this.build, 'sluice');
  }

  folder(name) {
    return path.join(this.data, name);
  }

  client(name) {
    return new TimedToolClient(path.join(this.build, 'bench/bench_stopwatch'), this.sluice, this.folder(name));
  }

  engine(name) {
    return new LineProcess([path.join(this.build, 'bench/bench_sql'), this.folder(name)]);
  }

  async run() {
    this.say('data for questions (made once, about 700 MB)');
    await promisify(execFile)(path.join(this.build, 'bench/bench_data'), [this.data]);
    return {
      questions: await this.questions(),
      handle: await this.handle(),
      catalog: await this.catalog(),
      start: await this.start(),
      http: await this.rowsOverHttp(),
    };
  }

  polars() {
    if (!existsSync(path.join(this.modules, 'nodejs-polars'))) return undefined;
    return new LineProcess([process.execPath, path.join(this.root, 'tests/bench/polars.mjs'), this.modules]);
  }

  async questions() {
    const tools = this.client('questions');
    const engine = this.engine('questions');
    const polars = this.polars();
    const out = [];
    try {
      await tools.untilCounted();
      for (const file of FILES) {
        await tools.untilCopied(file.dataset);
        for (const question of QUESTIONS) {
          this.say(`${question.name}: ${file.rows}`);
          out.push({ file, question, ...(await this.question({ tools, engine, polars, file, question })) });
        }
      }
    } finally {
      await Promise.all([tools, engine, polars].map(each => each?.stop()));
    }
    return out;
  }

  async question({ tools, engine, polars, file, question }) {
    // Another budget each time: an answer that is kept from the last time would say nothing about the question.
    let budget = 25_000;
    const askTools = () => tools.query({ dataset: file.dataset, ...question.arguments, max_tokens: --budget });
    const askJson = async (program, line) => JSON.parse((await program.ask(JSON.stringify(line))).line);
    const askEngine = () => askJson(engine, { file: file.file, arguments: question.arguments });
    const askPolars = kind =>
      askJson(polars, { file: path.join(this.folder('questions'), file.file), question: question.name, engine: kind });
    const kind = polars && (await this.fasterPolars(askPolars));
    const first = await this.firstAnswer(file, question);
    for (let i = 0; i < WARM_UPS; ++i) await Promise.all([askTools(), askEngine()]);
    const runs = { call: [], bare: [], engine: [], polars: [], callProcessor: [], engineProcessor: [] };
    let rows;
    const turnOfTools = async (times, bare = [], processor = []) => {
      const begin = tools.processorMs();
      const call = await askTools();
      if (call.method !== 'direct') throw new Error(`${question.name}: the answer is a ${call.method}`);
      times.push(call.ms);
      bare.push(call.ms - call.preflightMs);
      processor.push(tools.processorMs() - begin);
      rows = call.content.data.length;
    };
    const turnOfEngine = async () => {
      const begin = engine.processorMs();
      runs.engine.push((await askEngine()).ms);
      runs.engineProcessor.push(engine.processorMs() - begin);
    };
    const turnOfPolars = async () => {
      const theirs = await askPolars(kind);
      if (rows !== theirs.rows) throw new Error(`${question.name}: ${rows} rows, but Polars has ${theirs.rows}`);
      runs.polars.push(theirs.ms);
    };
    await this.inTurns(() => turnOfTools([], runs.bare, runs.callProcessor), turnOfEngine);
    if (polars) await this.inTurns(() => turnOfTools(runs.call), turnOfPolars);
    else runs.call.push(...runs.bare);
    return { first, ...medians(runs) };
  }

  // Two at a time, each first in every other round: whoever comes after another finds its threads and pages still going.
  // Short questions are asked more often: a median of a few rounds is a millisecond off on a machine that has two
  // processors for a client, a server and an engine's threads.
  async inTurns(one, other) {
    const enough = performance.now() + TURNS_MS;
    const more = round => round < this.questionRounds || (round < TURNS_MAX && performance.now() < enough);
    for (let round = 0; more(round); ++round) {
      for (const turn of round % 2 === 0 ? [one, other] : [other, one]) await turn();
    }
  }

  // The same as the first question to a program, before it knows anything but how many rows there are.
  async firstAnswer(file, question) {
    const times = [];
    for (let i = 0; i < FIRSTS; ++i) {
      const tools = this.client('questions');
      try {
        await tools.untilCounted();
        times.push((await tools.query({ dataset: file.dataset, ...question.arguments })).ms);
      } finally {
        await tools.stop();
      }
    }
    return median(times);
  }

  // Polars has two engines; it gets the faster one for each question.
  async fasterPolars(ask) {
    const times = { 'in-memory': [], streaming: [] };
    for (let i = 0; i <= WARM_UPS; ++i) {
      for (const kind of Object.keys(times)) times[kind].push((await ask(kind)).ms);
    }
    return median(times.streaming) < median(times['in-memory']) ? 'streaming' : 'in-memory';
  }

  // Everything of 200,000 rows, which is too much for an answer and comes as a handle.
  async handle() {
    this.say('a handle, and its first page');
    const tools = this.client('handle');
    const engine = this.engine('handle');
    const write = JSON.stringify({ file: 'wide.csv', arguments: {}, copy: true });
    const runs = { call: [], bare: [], copy: [], page: [] };
    try {
      await tools.untilCounted();
      await sleep(SETTLE_MS);
      const idle = tools.memory();
      tools.forgetPeak();
      await tools.query({ dataset: 'wide' });
      const peak = tools.memory('VmHWM');
      await engine.ask(write);
      for (let round = 0; round < this.questionRounds; ++round) {
        const call = await tools.query({ dataset: 'wide' });
        if (call.method !== 'handle') throw new Error(`everything: the answer is ${call.method}`);
        runs.call.push(call.ms);
        runs.bare.push(call.ms - call.preflightMs);
        runs.page.push((await tools.call('query_next_page', { result_handle: call.content.result_handle })).ms);
        runs.copy.push(JSON.parse((await engine.ask(write)).line).ms);
      }
      return { idle, above: peak - idle, ...medians(runs) };
    } finally {
      await Promise.all([tools.stop(), engine.stop()]);
    }
  }

  async catalog() {
    this.say('a catalog of 100,000 files');
    const begin = performance.now();
    const tools = this.client('many');
    try {
      const { content } = await tools.call('get_catalog', { limit: 1 });
      const ms = performance.now() - begin;
      if (content.total !== 100_000) throw new Error(`the catalog has ${content.total} files`);
      const first = (await tools.call('get_catalog', {})).ms;
      const pages = [];
      for (let i = 1; i <= PAGES; ++i) pages.push((await tools.call('get_catalog', { offset: i * 4_000 })).ms);
      const listed = tools.memory();
      await sleep(SETTLE_MS * 5);
      return { ms, first, page: median(pages), listed, counting: tools.memory('VmHWM') };
    } finally {
      await tools.stop();
    }
  }

  // A program that serves two files, before anybody asks about them.
  async start() {
    this.say(`cold start with data, ${COLD_STARTS} times`);
    const command = [this.sluice, 'serve', this.folder('questions'), '--profile', 'full'];
    const cold = [];
    for (let i = 0; i < COLD_STARTS; ++i) cold.push(await this.load.coldStart(command));
    const server = await HttpServer.start([...command, '--http', '0']);
    try {
      await this.load.one(server, 'discover');
      await sleep(SETTLE_MS);
      const tools = this.client('questions');
      const { result } = await tools.request('tools/list');
      await tools.stop();
      return { cold, memory: server.memory(), tools: result.tools.length, ...this.tokens(JSON.stringify(result)) };
    } finally {
      server.stop();
    }
  }

  tokens(text) {
    if (!existsSync(path.join(this.modules, 'gpt-tokenizer'))) {
      return { tokens: Math.ceil(text.length / 4), counted: 'a quarter of its bytes' };
    }
    const { encode } = createRequire(path.join(this.modules, 'anchor.cjs'))('gpt-tokenizer/encoding/o200k_base');
    return { tokens: encode(text).length, counted: 'o200k' };
  }

  async rowsOverHttp() {
    this.say('twenty rows over HTTP');
    const { load, sluice, modules, data, rounds, plan } = this;
    return measureRowsOverHttp({ load, sluice, modules, data, rounds, plan });
  }
}
