// The table of questions: what each takes as a tool call, beside the engine alone and beside others.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { markdown, medianOf, number, targetText, verdict } from './table.mjs';

const OVERHEAD_FACTOR = 1.05;
const OVERHEAD_MS = 1;
const HANDLE_FACTOR = 1.2;
const IMPOSSIBLE_FACTOR = 0.95;

function met(is) {
  return is ? 'met' : 'missed';
}

// A call contains its SQL: where it seems clearly faster, something else decided the times, and neither verdict holds.
function overheadVerdict(bare, engine) {
  if (bare < engine * IMPOSSIBLE_FACTOR) return 'undecided: faster than its own SQL';
  return met(bare <= engine * OVERHEAD_FACTOR + OVERHEAD_MS);
}

// A call without its preflight, against the engine alone; the processor time of both; the whole call, against Polars.
function questionRows({ file, question, first, call, bare, engine, polars, callProcessor, engineProcessor }) {
  const name = `${question.name}, ${file.rows}`;
  return [
    [`${name}: call without preflight, ms (beside it: its SQL alone)`,
      `≤ ${number(engine * OVERHEAD_FACTOR + OVERHEAD_MS)}`, number(bare), number(engine),
      `${number(engine / bare)} ×`, overheadVerdict(bare, engine)],
    [`${name}: processor time of a call with preflight, ms (beside it: its SQL alone)`, '', number(callProcessor),
      number(engineProcessor), `${number(engineProcessor / callProcessor)} ×`, ''],
    [`${name}: call, ms (beside it: Polars)`, '> 1 ×', number(call),
      polars === undefined ? 'not measured: not installed' : number(polars),
      polars === undefined ? '' : `${number(polars / call)} ×`, polars === undefined ? '' : met(call < polars)],
    [`${name}: as the first question after a start, ms (beside it: Polars)`, '', number(first), number(polars),
      polars === undefined ? '' : `${number(polars / first)} ×`, ''],
  ];
}

function handleRows({ call, copy, page, above, idle }) {
  const allowed = copy * HANDLE_FACTOR;
  return [
    ['200,000 rows, 12 MB, to a handle, ms (beside it: COPY to the same Parquet)', `≤ ${number(allowed)}`,
      number(call), number(copy), `${number(copy / call)} ×`, met(call <= allowed)],
    plain('memory above idle meanwhile, MB (beside it: idle)', { atMost: 64 }, above, idle),
    plain('first page of the handle, ms', { atMost: 5 }, page),
  ];
}

function plain(what, target, ours, beside) {
  return [what, targetText(target), number(ours), number(beside), '', verdict(target, ours)];
}

function httpRows({ ours, theirs, reason }) {
  const line = (what, field, better, target) => {
    const [mine, other] = [medianOf(ours, field), theirs.length > 0 ? medianOf(theirs, field) : undefined];
    const ratio = other === undefined ? undefined : better === 'more' ? mine / other : other / mine;
    return [`20 rows over HTTP, the same question again and again: ${what} (beside it: MCP Toolbox)`, targetText(target), number(mine),
      other === undefined ? `not measured: ${reason}` : number(other), ratio === undefined ? '' : `${number(ratio)} ×`,
      ratio === undefined ? '' : verdict(target, mine, ratio)];
  };
  return [
    line('requests/s', 'requests_per_second', 'more', { ratio: 3 }),
    line('requests per second of processor time', 'requests_per_cpu_second', 'more', { ratio: 3 }),
    line('p50, µs', 'p50_us', 'less', {}),
    line('p99, µs', 'p99_us', 'less', {}),
  ];
}

function versions(modules) {
  const names = ['nodejs-polars', '@toolbox-sdk/server-linux-x64'].filter(name => existsSync(path.join(modules, name)));
  const version = name => JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')).version;
  return names.map(name => `${name} ${version(name)}`).join(', ');
}

export function queryTable({ questions, handle, catalog, start, http }, { questionRounds, modules }) {
  const rows = [
    ...questions.flatMap(questionRows),
    ...handleRows(handle),
    plain('catalog of 100,000 files: from start to names, sizes and times, ms', { atMost: 2000 }, catalog.ms),
    plain('its first page, ms (beside it: median of further pages)', { atMost: 50 }, catalog.first, catalog.page),
    plain('its memory once it is listed, resident, MB', { atMost: 150 }, catalog.listed),
    plain('its memory at most while rows are counted, resident, MB', { atMost: 150 }, catalog.counting),
    ...httpRows(http),
    plain('cold start with data to the first answer, ms (beside it: its processor time)', { atMost: 20 },
      medianOf(start.cold, 'ms'), medianOf(start.cold, 'processor_ms')),
    plain('idle memory with data, resident, MB (beside it: proportional)', {}, start.memory.resident,
      start.memory.proportional),
    plain(`tokens of \`tools/list\`, ${start.tools} tools (${start.counted})`, { atMost: 6000 }, start.tokens),
  ];
  const head = ['Measured', 'Target', 'Sluice', 'Beside it', 'Ratio', 'Verdict'];
  const align = ['---', '--:', '--:', '--:', '--:', '---'];
  return `${versions(modules)}; medians of ${questionRounds} rounds or more.\n\n${markdown([head, align, ...rows])}`;
}
