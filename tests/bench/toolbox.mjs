// Twenty rows by a tool call over HTTP, from Sluice and from Google's MCP Toolbox.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SERVER_CPU = '0';
const START_MS_MAX = 20_000;
const POLL_MS = 20;

export function freePort() {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function listens(port) {
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.unref().on('connect', () => socket.destroy());
  });
}

// A server on a port that it is told. What it logs goes nowhere: both are asked to log errors only.
export class QuietServer {
  static async start(command, env = {}) {
    const server = new QuietServer();
    server.port = await freePort();
    const words = ['-c', SERVER_CPU, ...command.map(word => (word === 'PORT' ? String(server.port) : word))];
    server.child = spawn('taskset', words, { stdio: 'ignore', env: { ...process.env, ...env } });
    for (let waited = 0; !(await listens(server.port)); waited += POLL_MS) {
      if (waited > START_MS_MAX || server.child.exitCode !== null) {
        server.stop();
        throw new Error(`does not listen: ${command[0]}`);
      }
      await sleep(POLL_MS);
    }
    return server;
  }

  stop() {
    this.child.kill('SIGTERM');
  }
}

// The rows of twenty.csv as an SQLite file, and the configuration that offers them as a tool.
export async function writeSource(folder, csv) {
  const { DatabaseSync } = await import('node:sqlite');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const database = path.join(folder, 'twenty.db');
  const db = new DatabaseSync(database);
  db.exec('CREATE TABLE twenty (number INTEGER, city TEXT, price REAL, day TEXT, note TEXT)');
  const insert = db.prepare('INSERT INTO twenty VALUES (?, ?, ?, ?, ?)');
  for (const line of readFileSync(csv, 'utf8').trim().split('\n').slice(1)) insert.run(...line.split(','));
  db.close();
  const config = path.join(folder, 'tools.yaml');
  writeFileSync(config, [
    'sources:', '  rows:', '    kind: sqlite', `    database: ${database}`,
    'tools:', '  twenty_rows:', '    kind: sqlite-sql', '    source: rows', '    description: Twenty rows.',
    '    statement: SELECT number, city, price, day, note FROM twenty', ''].join('\n'));
  return config;
}

// {ours, theirs}, or {ours, reason} where Toolbox cannot run here.
export async function measureRowsOverHttp({ load, sluice, modules, data, rounds, plan }) {
  const runs = { ours: [], theirs: [] };
  const program = path.join(modules, '@toolbox-sdk/server-linux-x64/bin/toolbox');
  const servers = [];
  try {
    const ours = await QuietServer.start([sluice, 'serve', path.join(data, 'small'), '--profile', 'full', '--http', 'PORT'],
      { LOG_LEVEL: 'error' });
    servers.push(ours);
    let theirs;
    try {
      if (!existsSync(program)) throw new Error('it is not installed');
      const config = await writeSource(path.join(data, 'toolbox'), path.join(data, 'small/twenty.csv'));
      theirs = await QuietServer.start([program, '--config', config, '--port', 'PORT', '--log-level', 'ERROR',
        '--disable-version-check', '--disable-reload']);
      servers.push(theirs);
    } catch (error) {
      runs.reason = error.message;
    }
    for (let round = 0; round < rounds; ++round) {
      runs.ours.push(await load.http(ours, 'rows', plan));
      if (theirs) runs.theirs.push(await load.http(theirs, 'rows-elsewhere', plan));
    }
  } finally {
    for (const server of servers) server.stop();
  }
  return runs;
}
