// A server whose results leave it as files, and programs that fetch them.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { connect, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';

export const PUBLIC = 'https://data.example.org';
export const KEY = 'k'.repeat(32);

// Cells of every kind that is hard to write: quotes, commas, line breaks, nulls, other scripts.
export const NOTES = ['plain', 'with, comma', 'with "quotes"', 'two\nlines', '', null, 'Երևան 😀', ' padded '];

const quoted = (text) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`);

// A CSV file of so many rows, some 60 bytes each.
export function rowsCsv(rows) {
  const lines = ['id,name,amount,day,note'];
  for (let i = 0; i < rows; ++i)
    lines.push(`${i},customer number ${i % 977},${(i % 1000) / 8},2024-01-${String(1 + (i % 28)).padStart(2, '0')},${quoted(NOTES[i % NOTES.length])}`);
  return `${lines.join('\n')}\n`;
}

export function folderOf(t, files) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-exports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

// Writes the configuration of a server over the folder, which knows the tokens of ada and bob. `lines` stand at its end.
function configure(folder, { lines = '', server = '', profile = 'full', deny = [], spool = '' } = {}) {
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, `server:
  public_url: "${PUBLIC}"
  tokens: [ { name: ada, env: ADA }, { name: bob, env: BOB } ]
  signing_key: { env: KEY }
  ${server}
limits: { max_rows: 100 }
collections: [ { name: data, path: "." } ]
tools: { profile: ${profile}, deny: [${deny.join()}] }
${spool ? `spool: { path: "${spool}" }` : ''}
${lines}
`);
  process.env.ADA = 'ada-secret-0123456789';
  process.env.BOB = 'bob-secret-0123456789';
  process.env.KEY = KEY;
  return config;
}

export async function serve(t, folder, options) {
  const config = configure(folder, options);
  const running = await ServerProcess.listening(binary('SLUICE'), ['serve', config, '--http', '127.0.0.1:0']);
  t.after(() => running.stop());
  return running;
}

export const ada = { Authorization: 'Bearer ada-secret-0123456789' };
export const bob = { Authorization: 'Bearer bob-secret-0123456789' };

export async function clientOf(t, server, headers = ada) {
  const { client } = await connect(t, modernClient({ capabilities: {} }), { sdk: 'modern', transport: 'http', server, requestInit: { headers } });
  return client;
}

// The link of an answer at the address where the server really listens.
export const reachable = (url, server) => url.replace(PUBLIC, server.url.origin);

export const withEnding = (url, ending) => url.replace(/\.[a-z]+\?/, `.${ending}?`);

// Runs curl and gives its exit code and what it printed.
export function curl(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn('curl', ['--silent', '--show-error', '--max-time', '60', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const out = [];
    const errors = [];
    child.stdout.on('data', (bytes) => out.push(bytes));
    child.stderr.on('data', (bytes) => errors.push(bytes));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out: Buffer.concat(out), error: Buffer.concat(errors).toString() }));
  });
}
