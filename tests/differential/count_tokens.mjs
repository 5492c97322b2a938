// Counts the o200k tokens of texts: each line of the input is a JSON string, each line of the output a number.
//
//   node count_tokens.mjs MODULES
//
// MODULES is the folder above the node_modules that `scripts/bootstrap` fills.
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';

const { encode } = createRequire(path.join(process.argv[2], 'package.json'))('gpt-tokenizer/encoding/o200k_base');
for await (const line of createInterface({ input: process.stdin })) console.log(encode(JSON.parse(line)).length);
