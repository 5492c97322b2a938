// Runs the protocol's official conformance suite against a server and judges every check of it.
//
//   node run.mjs REVISION RESULTS_FOLDER     with EVERYTHING_SERVER in the environment
//
// The suite's exit code covers the scenarios that the revision scores. This judges the others as well, and checks that
// were skipped: each must pass or stand in baseline.yml with the reason.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { baselineOf, runSuite, scenariosOf } from './suite.mjs';

const SCENARIO_MS_MAX = 20_000;

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
  const scenarios = scenariosOf(revision, 'server');
  const baseline = baselineOf('baseline.yml', revision);
  rmSync(results, { recursive: true, force: true });
  const server = await ServerProcess.http(binary('EVERYTHING_SERVER'));
  const { code, output } = await runSuite(['server', '--url', server.url.href, '--requirements', revision,
    '--output-dir', results, '--timeout', String(SCENARIO_MS_MAX)]);
  console.log(output.slice(Math.max(0, output.indexOf('=== SUMMARY ==='))));
  const findings = judge({ scenarios, checks: readChecks(results, scenarios), baseline, suiteCode: code });
  if (!server.alive) findings.push(`the server ended during the suite: ${server.log.join('\n')}`);
  const end = await server.stop();
  if (end.code !== 0) findings.push(`the server ended with ${end.code ?? end.signal}`);
  findings.forEach((finding) => console.error(`FAILED ${finding}`));
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main(...process.argv.slice(2));
