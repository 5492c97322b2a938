import assert from 'node:assert/strict';
import { test } from 'node:test';

import { judgeClient } from './judge_client.mjs';

const scenarios = new Map([['a', true], ['b', false]]);
const run = ({ a = 'SUCCESS', b = 'INFO', baseline = {}, suiteCode = 0 } = {}) => judgeClient({
  scenarios, baseline, suiteCode,
  checks: new Map([['a', [{ id: 'one', status: a }]], ['b', [{ id: 'two', status: b }]]]),
});

test('a run that passes has no findings', () => assert.deepEqual(run(), []));

test('a suite that fails though every check passes is a finding', () => {
  assert.match(run({ suiteCode: 1 })[0], /the suite ended with 1/);
  assert.match(run({ suiteCode: null })[0], /the suite ended with a signal/);
});

test('a failure in the baseline explains that the suite fails, and what was skipped does not', () => {
  assert.deepEqual(run({ a: 'FAILURE', baseline: { 'a:one': 'why' }, suiteCode: 1 }), []);
  assert.match(run({ a: 'SKIPPED', baseline: { 'a:one': 'why' }, suiteCode: 1 })[0], /the suite ended with 1/);
  assert.match(run({ a: 'FAILURE', baseline: { 'a:one': 'why' }, suiteCode: null })[0], /a signal/);
});

test('a check that fails, one that is missing and an entry that passes are findings', () => {
  assert.match(run({ b: 'FAILURE', suiteCode: 1 })[0], /^b:two: FAILURE/);
  assert.match(run({ baseline: { a: 'why' } })[0], /^a: passes/);
  assert.match(judgeClient({ scenarios, baseline: {}, suiteCode: 0, checks: new Map() })[0], /left no checks/);
});
