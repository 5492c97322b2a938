// Answers the questions with Polars, one a line: {"file": PATH, "question": NAME, "engine": "in-memory"} →
// {"ms": 1.5, "rows": 10}.
//
//   node polars.mjs NODE_MODULES
//
// The time is that of a lazy query from the file to a collected frame; no text is made of it.
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { QUESTIONS } from './questions.mjs';

const pl = createRequire(path.join(path.resolve(process.argv[2]), 'anchor.cjs'))('nodejs-polars');

function answer({ file, question, engine }) {
  const { polars } = QUESTIONS.find(each => each.name === question);
  const begin = performance.now();
  const data = file.endsWith('.parquet') ? pl.scanParquet(file) : pl.scanCSV(file);
  const frame = polars(pl, data).collectSync({ engine });
  return { ms: performance.now() - begin, rows: frame.height };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
}
