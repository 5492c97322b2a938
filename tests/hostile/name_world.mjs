// A resolver whose answers change from one question to the next, and a network in which every address of IPv4 and IPv6 leads to
// this process. Both hold for programs that are started with `environment`, by system_shim.cc; nothing of the machine is changed.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';

import { binary } from '../e2e/server_process.mjs';

export const PUBLIC = '93.184.216.34';
export const PUBLIC_V6 = '2606:4700:4700::1111';

// Answers each name by its list: the first for the first look-up, and so on; the last for all that follow. An answer is
// { a: [], aaaa: [] } or the name of an error. `asked` has the names that were looked up.
class Resolver {
  answers = new Map();
  asked = [];
  #counts = new Map();

  lead(name, ...answers) {
    this.answers.set(name, answers);
    this.#counts.delete(name);
  }
  lookUps(name) {
    return this.asked.filter((one) => one === name).length;
  }
  resolve(name) {
    this.asked.push(name);
    const list = this.answers.get(name) ?? ['NXDOMAIN'];
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    const answer = list[Math.min(count, list.length - 1)];
    return typeof answer === 'string' ? answer : [...answer.a ?? [], ...answer.aaaa ?? []].join(' ');
  }
}

// Gives each address a stand-in on loopback, so that the address is known from the connection that arrives.
class Routes {
  #addresses = [];

  standIn(address) {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    let index = this.#addresses.indexOf(plain);
    if (index < 0) index = this.#addresses.push(plain) - 1;
    assert.ok(index < 250, 'more addresses than stand-ins');
    return `127.88.0.${index + 1}`;
  }
  address(standIn) {
    return this.#addresses[Number(standIn.split('.').at(-1)) - 1];
  }
}

// `handler` answers the requests that come to public addresses, on port 80, and on port 443 if there is a certificate. Whatever
// comes to any other address, on port 80 or 443, is `trapped`, with the address that it came to.
export async function nameWorld(handler, certificate) {
  const routes = new Routes();
  const world = { resolver: new Resolver(), trapped: [], reached: [] };
  const look = (socket) => {
    const address = routes.address(socket.localAddress.replace('::ffff:', ''));
    const isPublic = [PUBLIC, PUBLIC_V6].includes(address);
    (isPublic ? world.reached : world.trapped).push(address);
    return isPublic;
  };
  const http = createServer((request, response) => handler(request, response));
  http.on('connection', (socket) => look(socket) || socket.destroy());
  const tls = certificate ? createTlsServer(certificate, handler) : createTcpServer((socket) => socket.destroy());
  tls.on('connection', (socket) => look(socket.on('error', () => {})) || socket.destroy());
  for (const server of [http, tls])
    await new Promise((resolve, reject) => server.once('error', reject).listen(0, '0.0.0.0', resolve));
  const ports = { 80: http.address().port, 443: tls.address().port };
  const control = createSocket('udp4');
  control.on('message', (message, { port, address }) => {
    const [verb, subject, to] = message.toString().split(' ');
    const answer = verb === 'resolve' ? world.resolver.resolve(subject.toLowerCase()) : `${routes.standIn(subject)} ${ports[to]}`;
    control.send(answer, port, address);
  });
  await new Promise((resolve, reject) => control.once('error', reject).bind(0, '127.0.0.1', resolve));
  const sanitizer = [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':');
  world.environment = [`LD_PRELOAD=${binary('SYSTEM_SHIM')}`, `SHIM_CONTROL=${control.address().port}`, `ASAN_OPTIONS=${sanitizer}`];
  world.close = () => {
    http.closeAllConnections();
    http.close();
    tls.closeAllConnections?.();
    tls.close();
    control.close();
  };
  return world;
}
