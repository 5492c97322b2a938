// Runs the protocol's official conformance suite against a server and judges every check of it.
//
//   node run.mjs REVISION RESULTS_FOLDER     with EVERYTHING_SERVER in the environment
//
// The suite's exit code covers the scenarios that the revision scores. This judges the others as well, and checks that
// were skipped: each must pass or stand in baseline.yml with the reason.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { npmFile, npmPackage } from '../e2e/npm_package.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';

const SUITE = '@modelcontextprotocol/conformance';
const SUITE_MS_MAX = 100_000;
const SCENARIO_MS_MAX = 20_000;

// { scenario name: whether the revision scores it }
function scenariosOf(revision) {
  const { parse } = npmPackage('yaml');
  const set = parse(readFileSync(npmFile(`${SUITE}/requirements/${revision}.yaml`), 'utf8'));
  const scored = set.server.map((name) => [name, true]);
  const others = set.not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => [scenario, false]);
  return new Map([...scored, ...others]);
}

function baselineOf(revision) {
  const { parse } = npmPackage('yaml');
  const baseline = parse(readFileSync(new URL('baseline.yml', import.meta.url), 'utf8'))[revision] ?? {};
  for (const [check, reason] of Object.entries(baseline)) {
    if (typeof reason !== 'string' || !reason.trim()) throw new Error(`baseline.yml gives no reason for ${check}`);
  }
  return baseline;
}

// Ends with the suite's exit code and what it wrote, or kills it when its time is up.
function runSuite(url, revision, results) {
  const args = [npmFile(`${SUITE}/dist/index.js`), 'server', '--url', url, '--requirements', revision,
    '--output-dir', results, '--timeout', String(SCENARIO_MS_MAX)];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (bytes) => (output += bytes));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      suite.kill('SIGKILL');
      reject(new Error(`the suite took more than ${SUITE_MS_MAX} ms; its last words:\n${output.slice(-2000)}`));
    }, SUITE_MS_MAX);
    suite.once('error', reject);
    suite.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

// The checks of each scenario, from the folders "server-<scenario>-<time>" that the suite leaves.
function readChecks(results, scenarios) {
  const checks = new Map();
  for (const folder of readdirSync(results)) {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
    if (!scenarios.has(name)) throw new Error(`the suite ran a scenario that the revision does not name: ${folder}`);
    checks.set(name, JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')));
  }
  return checks;
}

// What is wrong, one line each.
function judge({ scenarios, checks, baseline, suiteCode }) {
  const findings = [];
  const used = new Set();
  for (const [scenario, isScored] of scenarios) {
    if (!checks.get(scenario)?.length) findings.push(`${scenario}: the suite left no checks`);
    for (const { id, status, errorMessage } of checks.get(scenario) ?? []) {
      if (status === 'SUCCESS' || status === 'INFO') continue;
      const key = `${scenario}:${id}`;
      if (!isScored && key in baseline) used.add(key);
      else findings.push(`${key}: ${status}: ${errorMessage ?? 'no message'}`);
    }
  }
  for (const key of Object.keys(baseline)) {
    if (!used.has(key)) findings.push(`${key}: passes, or is scored: remove it from baseline.yml`);
  }
  if (suiteCode !== 0 && findings.length === 0) findings.push(`the suite ended with ${suiteCode}`);
  return findings;
}

async function main(revision, results) {
  if (!revision || !results) throw new Error('usage: run.mjs REVISION RESULTS_FOLDER');
  const scenarios = scenariosOf(revision);
  const baseline = baselineOf(revision);
  rmSync(results, { recursive: true, force: true });
  const server = await ServerProcess.http(binary('EVERYTHING_SERVER'));
  const { code, output } = await runSuite(server.url.href, revision, results);
  console.log(output.slice(Math.max(0, output.indexOf('=== SUMMARY ==='))));
  const findings = judge({ scenarios, checks: readChecks(results, scenarios), baseline, suiteCode: code });
  if (!server.alive) findings.push(`the server ended during the suite: ${server.log.join('\n')}`);
  const end = await server.stop();
  if (end.code !== 0) findings.push(`the server ended with ${end.code ?? end.signal}`);
  findings.forEach((finding) => console.error(`FAILED ${finding}`));
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main(...process.argv.slice(2));
