// Runs the protocol's official conformance suite against our client and judges every check of it.
//
//   node run_client.mjs REVISION RESULTS_FOLDER     with EVERYTHING_CLIENT in the environment
//
// Every check of every scenario must pass, scored or not, or stand in baseline_client.yml with the reason: a whole
// scenario, or one check of it as "scenario:check-id". An entry that passes fails the run, and so does a suite that
// fails though no check of it tells why.
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { binary } from '../e2e/server_process.mjs';
import { judgeClient } from './judge_client.mjs';
import { baselineOf, runSuite, scenariosOf } from './suite.mjs';

const SCENARIO_MS_MAX = 30_000;

// The folders "<scenario>-<time>" that the suite leaves; scenarios have slashes in their names.
function* resultFolders(folder, prefix = '') {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const scenario = /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    if (scenario) yield [prefix + scenario, path];
    else if (statSync(path).isDirectory()) yield* resultFolders(path, `${prefix}${name}/`);
  }
}

function readChecks(results, scenarios) {
  const checks = new Map();
  for (const [scenario, folder] of resultFolders(results)) {
    if (!scenarios.has(scenario)) throw new Error(`the suite ran a scenario that the revision does not name: ${scenario}`);
    checks.set(scenario, JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8')));
  }
  return checks;
}

async function main(revision, results) {
  if (!revision || !results) throw new Error('usage: run_client.mjs REVISION RESULTS_FOLDER');
  const scenarios = scenariosOf(revision, 'client');
  rmSync(results, { recursive: true, force: true });
  const { code, output } = await runSuite(['client', '--command', binary('EVERYTHING_CLIENT'), '--requirements', revision,
    '--output-dir', results, '--timeout', String(SCENARIO_MS_MAX)]);
  console.log(output.slice(Math.max(0, output.indexOf('=== SUITE SUMMARY ==='))));
  const baseline = baselineOf('baseline_client.yml', revision);
  const findings = judgeClient({ scenarios, checks: readChecks(results, scenarios), baseline, suiteCode: code });
  findings.forEach((finding) => console.error(`FAILED ${finding}`));
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main(...process.argv.slice(2));
