// A PostgreSQL server of the bench's own, from Debian's package, on a free port of the loopback.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './toolbox.mjs';

const PROGRAMS = '/usr/lib/postgresql/15/bin';
const START_MS_MAX = 30_000;
const POLL_MS = 50;

// It does not run as root.
function unprivileged(words) {
  if (process.getuid() !== 0) return words;
  return ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', ...words];
}

export class PostgresServer {
  static async start() {
    if (!existsSync(path.join(PROGRAMS, 'postgres'))) throw new Error('PostgreSQL 15 is not installed');
    const server = new PostgresServer();
    server.folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-pg-'));
    const data = path.join(server.folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (process.getuid() === 0) {
      const [user, group] = ['-u', '-g'].map(flag => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })));
      for (const folder of [server.folder, data]) chownSync(folder, user, group);
    }
    server.execute(unprivileged([path.join(PROGRAMS, 'initdb'), '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync']));
    server.port = await freePort();
    const words = unprivileged([path.join(PROGRAMS, 'postgres'), '-D', data, '-p', String(server.port), '-k', server.folder,
      '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']);
    server.child = spawn('taskset', ['-c', '1', ...words], { stdio: 'ignore' });
    for (let waited = 0; !(await server.answers()); waited += POLL_MS) {
      if (waited > START_MS_MAX || server.child.exitCode !== null) throw new Error('PostgreSQL does not start');
      await sleep(POLL_MS);
    }
    return server;
  }

  execute(words, input) {
    return execFileSync(words[0], words.slice(1), { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  }

  async answers() {
    const open = await new Promise(resolve => {
      const socket = createConnection(this.port, '127.0.0.1');
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (!open) return false;
    try {
      this.sql('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  sql(text) {
    return this.execute([path.join(PROGRAMS, 'psql'), '-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-q', '-v',
      'ON_ERROR_STOP=1', '-d', 'postgres'], text);
  }

  async stop() {
    const ended = new Promise(resolve => this.child.on('exit', resolve));
    this.child.kill('SIGINT');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
