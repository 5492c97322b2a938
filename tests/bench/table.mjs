// One table of everything that was measured, with targets and verdicts.

const KINDS = { read: '`resources/read`', call: '`tools/call`' };

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function medianOf(runs, field) {
  return runs === undefined ? undefined : median(runs.map(run => run[field]));
}

export function number(value) {
  if (value === undefined) return '';
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

// A target is {atLeast}, {atMost} and {ratio}, any of them; a ratio says how many times better we are.
export function verdict(target, ours, ratio) {
  const missed = [];
  const by = (wanted, got) => `missed: ${((got / wanted) * 100).toFixed(0)} % of it`;
  if (target.atLeast !== undefined && ours < target.atLeast) missed.push(by(target.atLeast, ours));
  if (target.atMost !== undefined && ours > target.atMost) missed.push(by(target.atMost, ours));
  if (target.ratio !== undefined && ratio < target.ratio) missed.push(`missed: ${number(ratio)} × of ${target.ratio} ×`);
  if (Object.keys(target).length === 0) return '';
  return missed.length === 0 ? 'met' : missed.join(', ');
}

export function targetText(target) {
  const parts = [];
  if (target.atLeast !== undefined) parts.push(`≥ ${number(target.atLeast)}`);
  if (target.atMost !== undefined) parts.push(`≤ ${target.atMost}`);
  if (target.ratio !== undefined) parts.push(`≥ ${target.ratio} ×`);
  return parts.join(', ');
}

// `better` is 'more' for rates and 'less' for times and sizes.
function row(what, better, ours, theirs, { target = {}, empty } = {}) {
  const ratio = theirs === undefined ? undefined : better === 'more' ? ours / theirs : theirs / ours;
  return [what, targetText(target), number(ours), number(theirs), ratio === undefined ? '' : `${number(ratio)} ×`,
    number(empty), verdict(target, ours, ratio)];
}

function loadRows(where, kind, runs, target) {
  const { ours, theirs, empty } = runs;
  const line = (what, better, field, options = {}) =>
    row(`${KINDS[kind]} over ${where}: ${what}`, better, medianOf(ours, field), medianOf(theirs, field),
      { ...options, empty: medianOf(empty, field) });
  return [
    line('requests/s', 'more', 'requests_per_second', { target }),
    line('requests per second of processor time', 'more', 'requests_per_cpu_second', { target }),
    line('p50, µs', 'less', 'p50_us'),
    line('p99, µs', 'less', 'p99_us'),
  ];
}

export function table({ http, pipe, cold, memory, micro }) {
  const rate = name => micro[name].bytesPerSecond / 1e6;
  const rows = [
    ...loadRows('HTTP', 'read', http.read, { atLeast: 15_000, ratio: 20 }),
    ...loadRows('HTTP', 'call', http.call, { ratio: 20 }),
    ...loadRows('stdio', 'read', pipe.read, { ratio: 20 }),
    ...loadRows('stdio', 'call', pipe.call, { ratio: 20 }),
    row('cold start to the first answer, ms', 'less', medianOf(cold.ours, 'ms'), medianOf(cold.theirs, 'ms'),
      { target: { atMost: 20 } }),
    row('processor time of a cold start, ms', 'less', medianOf(cold.ours, 'processor_ms'),
      medianOf(cold.theirs, 'processor_ms')),
    row('idle memory, resident, MB', 'less', memory.ours.resident, memory.theirs.resident,
      { target: { atMost: 15 }, empty: memory.empty.resident }),
    row('idle memory, proportional, MB', 'less', memory.ours.proportional, memory.theirs.proportional,
      { empty: memory.empty.proportional }),
    row('rows of the engine to JSON, MB/s', 'more', rate('engine_rows/plain'), undefined, { target: { atLeast: 300 } }),
    row('rows of the engine to JSON, every string with escapes, MB/s', 'more', rate('engine_rows/escapes')),
    row('rows of the engine to JSON, not ASCII, MB/s', 'more', rate('engine_rows/umlauts')),
    row('JSON writer alone, rows, MB/s', 'more', rate('json_write_rows/plain')),
    row('one long text to JSON, MB/s', 'more', rate('json_write_string')),
    row('read a request, ns (beside it: `boost::json::parse`)', 'less', micro.json_read.ns, micro.json_read_boost.ns),
    row('check arguments against a schema, ns', 'less', micro.schema_validate.ns),
    row('match a URI template, ns', 'less', micro.template_match.ns),
    row('`resources/read` in this process, ns', 'less', micro['whole_request/resources_read'].ns),
    row('`tools/call` in this process, ns', 'less', micro['whole_request/tools_call'].ns),
  ];
  const head = ['Measured', 'Target', 'Sluice', 'TypeScript SDK', 'Ratio', 'Empty handler', 'Verdict'];
  const align = ['---', '--:', '--:', '--:', '--:', '--:', '---'];
  return markdown([head, align, ...rows]);
}

export function markdown(rows) {
  return rows.map(cells => `| ${cells.join(' | ')} |`).join('\n');
}
