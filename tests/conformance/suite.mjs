// What runs of the official conformance suite have in common, whoever is judged.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { npmFile, npmPackage } from '../e2e/npm_package.mjs';

const SUITE = '@modelcontextprotocol/conformance';
const SUITE_MS_MAX = 100_000;

// { scenario name: whether the revision scores it }. `leg` is "server" or "client".
export function scenariosOf(revision, leg) {
  const { parse } = npmPackage('yaml');
  const set = parse(readFileSync(npmFile(`${SUITE}/requirements/${revision}.yaml`), 'utf8'));
  const scored = set[leg].map((name) => [name, true]);
  const others = set.not_scored.filter((entry) => entry.leg === leg).map(({ scenario }) => [scenario, false]);
  return new Map([...scored, ...others]);
}

// { what does not pass: why }
export function baselineOf(file, revision) {
  const { parse } = npmPackage('yaml');
  const baseline = parse(readFileSync(new URL(file, import.meta.url), 'utf8'))[revision] ?? {};
  for (const [check, reason] of Object.entries(baseline)) {
    if (typeof reason !== 'string' || !reason.trim()) throw new Error(`${file} gives no reason for ${check}`);
  }
  return baseline;
}

// Ends with the suite's exit code and what it wrote, or kills it when its time is up.
export function runSuite(args) {
  const suite = spawn(process.execPath, [npmFile(`${SUITE}/dist/index.js`), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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
