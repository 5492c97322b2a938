// A program that answers each line with a line.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PATIENCE_MS = 120_000;

export class LineProcess {
  constructor(command, env = {}) {
    this.child = spawn(command[0], command.slice(1), { env: { ...process.env, ...env }, stdio: 'pipe' });
    this.name = command[0];
    this.said = [];
    this.waiting = null;
    this.parts = [];
    this.child.stdout.on('data', chunk => this.onOutput(chunk));
    createInterface({ input: this.child.stderr }).on('line', line => this.onError(line));
    this.ended = new Promise(resolve => {
      this.child.on('exit', () => {
        this.waiting?.reject(new Error(`ended: ${this.name}: ${this.said.slice(-3).join(' ')}`));
        resolve();
      });
    });
    this.child.stdin.on('error', () => {}); // That it ended is told above.
  }

  // The time is taken when the last byte is there: making text of a megabyte is no part of an answer's time.
  onOutput(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const at = performance.now();
      const line = Buffer.concat([...this.parts, chunk.subarray(from, end)]).toString('utf8');
      this.parts = [];
      from = end + 1;
      this.onLine(line, at);
    }
    if (from < chunk.length) this.parts.push(chunk.subarray(from));
  }

  onLine(line, at, ms) {
    this.waiting?.resolve({ line, at, ms });
  }

  onError(line) {
    this.said.push(line);
    if (this.said.length > 100) this.said.shift();
  }

  // The answer, and the milliseconds from before the question was written to after the answer was read.
  async ask(text) {
    let late;
    const answered = new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      late = setTimeout(() => reject(new Error(`no answer: ${this.name}: ${text.slice(0, 200)}`)), PATIENCE_MS);
    });
    const begin = performance.now();
    this.child.stdin.write(`${text}\n`);
    try {
      const { line, at, ms } = await answered;
      return { ms: ms ?? at - begin, line };
    } finally {
      clearTimeout(late);
      this.waiting = null;
    }
  }

  // Of the program that answers.
  get pid() {
    return this.child.pid;
  }

  // In MB, of what is resident now ('VmRSS') and was at most since the last forgetPeak ('VmHWM').
  memory(field = 'VmRSS') {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)[1]) / 1024;
  }

  // Milliseconds that its threads have run until now: unlike time on the wall, no other program is in it.
  processorMs() {
    const tasks = `/proc/${this.pid}/task`;
    const ns = readdirSync(tasks).map(task => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]));
    return ns.reduce((sum, one) => sum + one, 0) / 1e6;
  }

  forgetPeak() {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  async stop() {
    this.child.stdin.end();
    const late = setTimeout(() => this.child.kill('SIGKILL'), 5_000);
    await this.ended;
    clearTimeout(late);
  }
}
