// One server under test: a process of ours, started, watched and ended here.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { within } from './waiting.mjs';

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const LOG_LINES_MAX = 200;

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

// The program named by an environment variable that CMake sets.
export function binary(variable) {
  const path = process.env[variable];
  if (!path) throw new Error(`the environment names no program to test: ${variable}`);
  if (!existsSync(path)) throw new Error(`the program to test is not built: ${path}`);
  return path;
}

export class ServerProcess {
  constructor(path, args, stdio = ['pipe', 'pipe', 'pipe']) {
    this.child = spawn(path, args, { stdio });
    running.add(this.child);
    this.log = [];  // Lines of stderr.
    this.exited = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => {
        running.delete(this.child);
        resolve({ code, signal });
      });
    });
    this.exited.catch(() => {});  // Whoever waits for it gets the error.
    this.lines = createInterface({ input: this.child.stderr });
    this.lines.on('line', (line) => {
      this.log.push(line);
      if (this.log.length > LOG_LINES_MAX) this.log.shift();
    });
    this.child.stdin?.on('error', () => {});  // A server that ended closes its input; the tests look at `exited`.
  }

  static http(path, ...args) {
    return ServerProcess.listening(path, ['--http', '127.0.0.1:0', ...args]);
  }

  // A server that listens because its arguments say so; `url` is where.
  static async listening(path, args) {
    const server = new ServerProcess(path, args, ['ignore', 'ignore', 'pipe']);
    const listening = new Promise((resolve) => {
      server.lines.on('line', (line) => {
        const url = listeningUrl(line);
        if (url) resolve(url);
      });
    });
    const ended = server.exited.then(({ code, signal }) => {
      throw new Error(`the server ended while it started, with ${code ?? signal}: ${server.log.join('\n')}`);
    });
    server.url = new URL(await within(START_MS_MAX, 'the event http.listening', Promise.race([listening, ended])));
    ended.catch(() => {});
    return server;
  }

  static stdio(path, ...args) {
    return new ServerProcess(path, args);
  }

  get pid() {
    return this.child.pid;
  }

  get alive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  residentBytes() {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]);
  }

  // Memory of its own: without what it only maps from its program file and libraries.
  privateBytes() {
    return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]);
  }

  // Its sockets: the one that listens, its connections, and the pipes to us, which Node makes of sockets.
  openSockets() {
    const folder = `/proc/${this.pid}/fd`;
    return readdirSync(folder).filter((name) => {
      try {
        return readlinkSync(`${folder}/${name}`).startsWith('socket:');
      } catch {
        return false;  // Closed in the meantime.
      }
    }).length;
  }

  // Asks it to end, as an operator would, and gives the way it ended.
  async stop() {
    if (this.alive) this.child.kill('SIGTERM');
    return within(STOP_MS_MAX, 'the server to end after SIGTERM', this.exited);
  }
}

function listeningUrl(line) {
  try {
    const entry = JSON.parse(line);
    return entry.event === 'http.listening' ? entry.url : undefined;
  } catch {
    return undefined;
  }
}
