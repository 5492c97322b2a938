// A network of its own, in which every address of IPv4 and IPv6 leads to this process, and a resolver whose answers change from
// one question to the next. Only for a process in namespaces of its own: `unshare --map-root-user --mount --net`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

export const PUBLIC = '93.184.216.34';
export const PUBLIC_V6 = '2606:4700:4700::1111';

const TYPE = { A: 1, CNAME: 5, AAAA: 28 };
const CODE = { SERVFAIL: 2, NXDOMAIN: 3 };

// What follows would change the names of the whole machine, so it is done in a user namespace alone, where the kernel lets a
// process mount nothing but in mounts of its own.
function assertOwnNamespaces() {
  const users = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/);
  assert.ok(users.length === 3 && users[2] === '1' && Object.keys(networkInterfaces()).length === 0,
    'start this test with `unshare --map-root-user --mount --net`, as ctest does');
}

function encodeName(name) {
  return Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])]);
}

function addressBytes(type, text) {
  if (type === TYPE.A) return Buffer.from(text.split('.').map(Number));
  const v4 = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const plain = v4 ? text.replace(v4[0], `${((v4[1] << 8) | v4[2]).toString(16)}:${((v4[3] << 8) | v4[4]).toString(16)}`) : text;
  const [head, tail] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.concat(groups.map((group) => Buffer.from([parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])));
}

function record(name, type, data) {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);  // Nobody may keep it.
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

// Answers each name by its list: the first for the first question, and so on; the last for all that follow. An answer is
// { a: [], aaaa: [], cname } or the name of an error. `asked` has the questions for IPv4 addresses, one for each look-up.
class Resolver {
  answers = new Map();
  asked = [];
  #counts = new Map();
  #socket = createSocket('udp4');

  async start() {
    this.#socket.on('message', (message, { port, address }) => this.#socket.send(this.#answer(message), port, address));
    await new Promise((resolve, reject) => this.#socket.once('error', reject).bind(53, '127.0.0.1', resolve));
  }
  stop() {
    this.#socket.close();
  }
  lead(name, ...answers) {
    this.answers.set(name, answers);
    for (const type of [TYPE.A, TYPE.AAAA]) this.#counts.delete(`${name} ${type}`);
  }
  lookUps(name) {
    return this.asked.filter((one) => one === name).length;
  }

  #answer(message) {
    let at = 12;
    const labels = [];
    for (; message[at] !== 0; at += message[at] + 1) labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
    const name = labels.join('.').toLowerCase();
    const type = message.readUInt16BE(at + 1);
    const question = message.subarray(12, at + 5);
    if (type === TYPE.A) this.asked.push(name);
    const list = this.answers.get(name) ?? ['NXDOMAIN'];
    const key = `${name} ${type}`;
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    const answer = list[Math.min(count, list.length - 1)];
    const isError = typeof answer === 'string';
    const owner = isError ? name : answer.cname ?? name;
    const addresses = (isError ? undefined : type === TYPE.A ? answer.a : answer.aaaa) ?? [];
    const records = addresses.map((text) => record(owner, type, addressBytes(type, text)));
    if (owner !== name) records.unshift(record(name, TYPE.CNAME, encodeName(owner)));
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (isError ? CODE[answer] : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    return Buffer.concat([head, question, ...records]);
  }
}

// `handler` answers the requests that come to public addresses, on port 80. Whatever comes to any other address, on port 80 or
// 443, is `trapped`, with the address that it came to.
export async function nameWorld(handler) {
  assertOwnNamespaces();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-names-'));
  const file = join(folder, 'resolv.conf');
  writeFileSync(file, 'nameserver 127.0.0.1\noptions timeout:5 attempts:1\n');
  const run = (...command) => execFileSync(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
  run('mount', '--bind', file, '/etc/resolv.conf');
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo');
  run('ip', '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo');
  const world = { resolver: new Resolver(), trapped: [], reached: [] };
  await world.resolver.start();
  const look = (socket) => {
    const address = socket.localAddress.replace(/^::ffff:(?=\d+\.)/, '');
    const isPublic = [PUBLIC, PUBLIC_V6].includes(address);
    // The way to the server under test is on other ports.
    (isPublic ? world.reached : world.trapped).push(address);
    return isPublic;
  };
  const http = createServer((request, response) => handler(request, response));
  http.on('connection', (socket) => look(socket) || socket.destroy());
  const tls = createTcpServer((socket) => {
    look(socket);
    socket.on('error', () => {}).destroy();
  });
  for (const [server, port] of [[http, 80], [tls, 443]])
    await new Promise((resolve, reject) => server.once('error', reject).listen(port, '::', resolve));
  world.close = () => {
    http.closeAllConnections();
    http.close();
    tls.close();
    world.resolver.stop();
    run('umount', '/etc/resolv.conf');
    rmSync(folder, { recursive: true });
  };
  return world;
}
