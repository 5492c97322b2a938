// Runs every server in turn, several rounds, so that a noisy moment of the machine meets all of them alike.
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentTokensTable, checkAgentTokens, measureAgentTokens } from './agent_tokens.mjs';
import { CkanBench, ckanTable } from './ckan.mjs';
import { ExportsBench, exportsTable } from './exports.mjs';
import { GatewayBench, gatewayTable } from './gateway.mjs';
import { GitBench, gitTable } from './git.mjs';
import { HttpServer, Load, microBenchmarks } from './processes.mjs';
import { QueryBench } from './query.mjs';
import { queryTable } from './query_table.mjs';
import { RecordsBench, recordsTable } from './records.mjs';
import { ResourcesBench, resourcesTable } from './resources.mjs';
import { table } from './table.mjs';

const [root, build] = process.argv.slice(2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const COLD_STARTS = 20;
const SETTLE_MS = 500;
const plan = { inFlight: 16, seconds: Number(process.env.BENCH_SECONDS ?? 3), warmUp: 1_000 };
// So many requests the compiler of Node needs until a server is as fast as it gets.
const patientPlan = { ...plan, warmUp: 20_000 };

const parts = (process.env.BENCH_PARTS ?? 'protocol,query,records,resources,git,ckan,gateway,exports,agent').split(',');
const questionRounds = Number(process.env.BENCH_QUESTION_ROUNDS ?? 9);

const modules = path.join(root, '.deps/npm/node_modules');
const benchModules = process.env.BENCH_MODULES ?? path.join(root, '.deps/bench/node_modules');
const programs = {
  ours: [path.join(build, 'examples/everything_server')],
  theirs: [path.join(root, '.deps/node/bin/node'), path.join(root, 'tests/bench/typescript_server.mjs'), modules],
  empty: [path.join(build, 'bench/bench_empty_http')],
};
const load = new Load(path.join(build, 'bench/bench_load'));

function say(text) {
  process.stderr.write(`bench: ${text}\n`);
}

function checkFiles() {
  const names = ['sluice', 'bench/bench_data', 'bench/bench_sql', 'bench/bench_stopwatch', 'bench/bench_micro'];
  const built = names.map(name => path.join(build, name));
  const files = [programs.ours[0], programs.theirs[0], modules, programs.empty[0], load.program, ...built];
  const missing = files.filter(file => !existsSync(file));
  if (missing.length > 0) throw new Error(`not there: ${missing.join(', ')}; is it built with -DSLUICE_BENCH=ON?`);
}

async function measureMemory(servers) {
  await load.one(servers.ours, 'read');
  await load.one(servers.theirs, 'read');
  await load.one(servers.empty, 'read', '--any-id');
  await sleep(SETTLE_MS);
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.memory()]));
}

async function measureHttp(servers) {
  const runs = { read: { ours: [], theirs: [], empty: [] }, call: { ours: [], theirs: [] } };
  say('HTTP, warming up');
  for (const request of ['read', 'call']) await load.http(servers.theirs, request, patientPlan);
  for (let round = 1; round <= rounds; ++round) {
    say(`HTTP, round ${round} of ${rounds}`);
    runs.read.empty.push(await load.http(servers.empty, 'read', plan, '--any-id'));
    for (const request of ['read', 'call']) {
      runs[request].ours.push(await load.http(servers.ours, request, plan));
      runs[request].theirs.push(await load.http(servers.theirs, request, plan));
    }
  }
  return runs;
}

async function measurePipe() {
  const runs = { read: { ours: [], theirs: [] }, call: { ours: [], theirs: [] } };
  for (let round = 1; round <= rounds; ++round) {
    say(`stdio, round ${round} of ${rounds}`);
    for (const request of ['read', 'call']) {
      runs[request].ours.push(await load.pipe(programs.ours, request, patientPlan));
      runs[request].theirs.push(await load.pipe(programs.theirs, request, patientPlan));
    }
  }
  return runs;
}

async function measureColdStarts() {
  say(`cold start, ${COLD_STARTS} times`);
  const times = { ours: [], theirs: [] };
  for (let i = 0; i < COLD_STARTS; ++i) {
    times.ours.push(await load.coldStart(programs.ours));
    times.theirs.push(await load.coldStart(programs.theirs));
  }
  return times;
}

function describe() {
  const version = name => JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')).version;
  return [
    `${cpus()[0].model.trim()}, ${cpus().length} processors, Linux ${release()}; Node ${process.versions.node},`,
    `@modelcontextprotocol/server ${version('@modelcontextprotocol/server')}. Server on processor 0, load on 1;`,
    `${plan.inFlight} connections or requests in flight; medians of ${rounds} rounds of ${plan.seconds} s.`,
  ].join('\n');
}

async function measureProtocol() {
  const servers = {};
  const measured = {};
  try {
    servers.ours = await HttpServer.start([...programs.ours, '--http', '0']);
    servers.theirs = await HttpServer.start([...programs.theirs, '--http', '0']);
    servers.empty = await HttpServer.start(programs.empty);
    measured.memory = await measureMemory(servers);
    measured.http = await measureHttp(servers);
  } finally {
    for (const server of Object.values(servers)) server.stop();
  }
  measured.pipe = await measurePipe();
  measured.cold = await measureColdStarts();
  say('parts');
  measured.micro = await microBenchmarks(path.join(build, 'bench/bench_micro'), rounds);
  return `${describe()}\n\n${table(measured)}`;
}

async function measureQueries() {
  const bench = new QueryBench({ root, build, modules: benchModules, load, rounds, questionRounds, plan, say });
  return queryTable(await bench.run(), { questionRounds, modules: benchModules });
}

async function main() {
  checkFiles();
  const busy = loadavg()[0];
  if (parts.includes('protocol')) console.log(await measureProtocol());
  if (parts.includes('query')) console.log(`\n${await measureQueries()}`);
  if (parts.includes('records')) console.log(`\n${recordsTable(await new RecordsBench({ build, say }).run())}`);
  if (parts.includes('resources')) {
    const bench = new ResourcesBench({ root, build, modules: benchModules, rounds, plan, say });
    console.log(`\n${resourcesTable(await bench.run())}`);
  }
  if (parts.includes('git')) console.log(`\n${gitTable(await new GitBench({ build, say }).run())}`);
  if (parts.includes('ckan')) console.log(`\n${ckanTable(await new CkanBench({ build, rounds, plan, say }).run())}`);
  if (parts.includes('exports')) console.log(`\n${exportsTable(await new ExportsBench({ build, say }).run())}`);
  if (parts.includes('gateway')) {
    const bench = new GatewayBench({ root, build, modules, benchModules, load, rounds, plan, say });
    console.log(`\n${gatewayTable(await bench.run())}`);
  }
  if (parts.includes('agent')) {
    say("an analyst's questions, in tokens");
    const tokens = await measureAgentTokens(path.join(build, 'sluice'), benchModules, modules);
    console.log(`\n${agentTokensTable(tokens)}`);
    checkAgentTokens(tokens);
  }
  if (busy > 0.5) say(`the machine was busy when this began (load ${busy.toFixed(1)}): trust the ratios, not the rates`);
}

main().catch(error => {
  say(error.message);
  process.exit(1);
});
