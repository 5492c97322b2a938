// What of a run of the suite against our client is wrong.

const isFine = ({ status }) => status === 'SUCCESS' || status === 'INFO';

// One line each. `checks` are those of each scenario; `suiteCode` is what the suite ended with, null after a signal.
export function judgeClient({ scenarios, checks, baseline, suiteCode }) {
  const findings = [];
  const used = new Set();
  let explained = false;  // A failure in the baseline is why the suite fails.
  for (const scenario of scenarios.keys()) {
    if (!checks.get(scenario)?.length) findings.push(`${scenario}: the suite left no checks`);
    for (const check of (checks.get(scenario) ?? []).filter((each) => !isFine(each))) {
      const key = scenario in baseline ? scenario : `${scenario}:${check.id}`;
      if (key in baseline) {
        used.add(key);
        explained ||= check.status === 'FAILURE';
      } else {
        findings.push(`${key}: ${check.status}: ${check.errorMessage ?? 'no message'}`);
      }
    }
  }
  for (const key of Object.keys(baseline)) {
    if (!used.has(key)) findings.push(`${key}: passes: remove it from baseline_client.yml`);
  }
  const isUnexplained = suiteCode === null || (suiteCode !== 0 && !explained && findings.length === 0);
  if (isUnexplained) findings.push(`the suite ended with ${suiteCode ?? 'a signal'}, and no check says why`);
  return findings;
}
