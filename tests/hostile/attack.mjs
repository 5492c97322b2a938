// What every attack over HTTP needs: a server, raw sockets, and the proof that it still serves.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, beforeEach } from 'node:test';

import { modernHeaders, modernRequest } from '../e2e/raw_client.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { WAIT_MS_MAX, within } from '../e2e/waiting.mjs';

export const MEGABYTE = 1024 * 1024;

// A bound on memory, for the program as it was built. A sanitizer keeps back what was freed (256 MB), surrounds every
// block and shadows all of them; beside that, only what grows without end can be seen.
export const memoryMax = (bytes) => (process.env.SANITIZE ? 4 * bytes + 512 * MEGABYTE : bytes);

// One server for all tests of a file. After each of them it must be the same process and answer a good request.
export function httpServerUnderAttack() {
  const target = {};
  before(async () => {
    target.server = await ServerProcess.http(binary('EVERYTHING_SERVER'));
    await assertServes(target.server);
  });
  afterEach(() => assertServes(target.server));
  after(async () => {
    const end = await target.server.stop();
    assert.equal(end.code, 0, target.server.log.join('\n'));
  });
  return target;
}

// A server for each test, for those that measure: memory that one test has freed would hide what the next one leaks.
export function httpServerForEachTest() {
  const target = {};
  beforeEach(async () => {
    target.server = await ServerProcess.http(binary('EVERYTHING_SERVER'));
    await assertServes(target.server);
  });
  afterEach(async () => {
    await assertServes(target.server);
    const end = await target.server.stop();
    assert.equal(end.code, 0, target.server.log.join('\n'));
  });
  return target;
}

// The text of a request that must be answered, unless the caller spoils a part of it.
export function goodRequest(server, { message = greet('x'), head = 'POST /mcp HTTP/1.1', headers = {}, body } = {}) {
  body ??= JSON.stringify(message);
  const all = { host: server.url.host, ...modernHeaders(message), 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  return `${head}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

export const greet = (name, id = 1) => modernRequest(id, 'tools/call', { name: 'greet', arguments: { name } });

// Uses a connection of its own and closes it: one that is kept alive would be counted among those of the attack.
export async function assertServes(server, ms = WAIT_MS_MAX) {
  assert.ok(server.alive, `the server ended: ${server.log.join('\n')}`);
  const socket = new RawSocket(server);
  socket.send(goodRequest(server, { message: greet('still here') }));
  assert.match(await socket.until(/Hello, still here!/, ms), /^HTTP\/1\.1 200 /);
  socket.destroy();
  await socket.closed;
}

// A connection that sees what comes back as text, and never throws.
export class RawSocket {
  constructor(server, options = {}) {
    this.text = '';
    this.socket = connect({ host: server.url.hostname, port: Number(server.url.port), ...options });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => (this.text += chunk));
    this.socket.on('error', () => {});  // A refused attack ends in a reset as often as in an end.
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.opened = new Promise((resolve) => this.socket.once('connect', resolve));
  }

  send(bytes) {
    this.socket.write(bytes);
    return this;
  }

  // Resolves with all that came once `pattern` is in it, or the server closed the connection.
  async until(pattern, ms = WAIT_MS_MAX) {
    const seen = new Promise((resolve) => {
      const look = () => pattern.test(this.text) && resolve();
      this.socket.on('data', look);
      look();
    });
    await within(ms, `${pattern} in ${JSON.stringify(this.text.slice(0, 300))}`, Promise.race([seen, this.closed]));
    return this.text;
  }

  async end() {
    await within(WAIT_MS_MAX, 'the server to close the connection', this.closed);
    return this.text;
  }

  destroy() {
    this.socket.destroy();
  }
}

// The matches of `pattern` (at most 200 characters each) in what a connection receives, which is not kept.
export function matchesOf(socket, pattern) {
  const matches = [];
  let rest = '';
  socket.socket.removeAllListeners('data');
  socket.socket.on('data', (chunk) => {
    rest += chunk;
    let end = Math.max(0, rest.length - 200);
    for (const match of rest.matchAll(pattern)) {
      matches.push(match[1] ?? match[0]);
      end = Math.max(end, match.index + match[0].length);
    }
    rest = rest.slice(end);
  });
  return matches;
}

// Sends bytes on a connection of their own and gives the status of the first answer; 0 if there was none.
export async function statusOf(server, bytes, { close = false } = {}) {
  const socket = new RawSocket(server);
  socket.send(bytes);
  if (close) socket.socket.end();
  const text = await socket.until(/^HTTP\/1\.1 \d{3}[^\n]*\r\n/);
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}
