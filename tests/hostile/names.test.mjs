// `ssrf`: names whose answers change between the check and the use. `sluice` asks a resolver that lies, in a network in which every
// inner address would answer; it is the address of the connection that decides, for every request, redirect and retry.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { connect, modernClient } from '../e2e/connection.mjs';
import { ServerProcess, binary } from '../e2e/server_process.mjs';
import { until } from '../e2e/waiting.mjs';
import { PUBLIC, PUBLIC_V6, nameWorld } from './name_world.mjs';

// Private, link-local, loopback, metadata, mapped, NAT64, 6to4, Teredo and the rest that no portal is at.
const INNER = [
  '127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '169.254.1.1', '100.64.0.1',
  '100.100.100.200', '198.18.0.1', '0.0.0.0', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '::1', '::', 'fe80::1', 'fc00::1',
  'fd00:ec2::254', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1', '64:ff9b::127.0.0.1',
  '64:ff9b::169.254.169.254', '64:ff9b:1::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', 'ff02::1',
  '2001:db8::1',
];
const answerOf = (address) => (address.includes(':') ? { aaaa: [address] } : { a: [address] });
const OUTSIDE = { a: [PUBLIC] };
const INSIDE = { a: ['127.0.0.1'] };

// Proxies of whoever runs the test are none of it.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) [name, name.toLowerCase()].forEach((one) => delete process.env[one]);

let world;
let client;
let stop;
const routes = new Map();  // What the portal does for a dataset, by its id.

const CONFIG = `portals:
  - { host: moving, base: "http://moving.example", text_field: false, rate: 1000, burst: 1000 }
  - { host: once, base: "http://once.example", text_field: false, rate: 1000, burst: 1000 }
  - { host: own, base: "http://own.example", allow_private: true }
  - { host: loopback, base: "http://loopback.example", allow_private: true }
`;

function answer(response, result, headers = {}) {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify({ success: true, result }));
}

function handle(request, response) {
  const url = new URL(request.url, 'http://portal');
  const id = url.searchParams.get('id') ?? url.pathname;
  const route = routes.get(id);
  if (route) return route(response, url);
  if (url.pathname.endsWith('.csv')) return response.end('x,y\n1,2\n');
  return answer(response, { id, title: `of ${request.headers.host}` });
}

before(async () => {
  world = await nameWorld(handle);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-names-'));
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, CONFIG);
  const server = await ServerProcess.listening('env',
    [...world.environment, binary('SLUICE'), 'serve', config, '--http', '127.0.0.1:0']);
  const ends = [];
  ({ client } = await connect({ after: (end) => ends.push(end) }, modernClient(), { sdk: 'modern', transport: 'http', server }));
  stop = async () => {
    for (const end of ends) await end();
    const { code } = await server.stop();
    rmSync(folder, { recursive: true });
    assert.equal(code, 0, server.log.join('\n'));
  };
});
after(async () => {
  await stop?.();
  world?.close();
});
beforeEach(() => {
  routes.clear();
  world.trapped.length = 0;
  world.reached.length = 0;
});

// The title of a dataset, or the code of the error.
async function read(uri) {
  try {
    return JSON.parse((await client.readResource({ uri })).contents[0].text).title;
  } catch (error) {
    return error.data?.code ?? error.message;
  }
}

async function queryFile(url, portal = 'once') {
  const id = `file-${url}`;
  routes.set(id, (response) => answer(response, { id, url, format: 'CSV' }));
  const result = await client.callTool({ name: 'ckan_query_file', arguments: { server_url: portal, resource_id: id } });
  const object = JSON.parse(result.content[0].text);
  return object.code ?? object.data;
}

// A program that connects to an address, in the network of this test.
const CONNECT = `require('node:net').connect(80, process.argv[1]).on('error', () => {}).on('close', () => {})`;

describe('the network of this test', () => {
  it('would let inner addresses be reached', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '64:ff9b::7f00:1', '2002:7f00:1::', 'fd00:ec2::254']) {
      await promisify(execFile)('env', [...world.environment, process.execPath, '-e', CONNECT, address]);
      assert.equal(world.trapped.at(-1), address);
    }
    world.resolver.lead('once.example', OUTSIDE);
    assert.equal(await read('ckan://once/dataset/a'), 'of once.example');
    assert.deepEqual(world.reached, [PUBLIC]);
  });
});

describe('a server that has no address', () => {
  it('is unreachable', async () => {
    await assert.rejects(client.readResource({ uri: 'ckan://invalid-server.example/dataset/test' }), (error) => {
      assert.deepEqual([error.code, error.data.code], [-32603, 'host_not_found']);
      assert.match(error.message, /Server not found: https:\/\/invalid-server\.example/);
      return true;
    });
    assert.ok(world.resolver.lookUps('invalid-server.example') > 0);
  });
});

describe('ssrf: a name', () => {
  for (const address of INNER) {
    it(`that leads to ${address} is refused, as a portal, as a redirect and within metadata`, async () => {
      const name = `at-${address.replace(/[:.]/g, '-')}.example`;
      world.resolver.lead(name, answerOf(address));
      assert.equal(await read(`ckan://${name}/dataset/x`), 'address_refused');
      routes.set(name, (response) => response.writeHead(302, { Location: `http://${name}/latest/meta-data/` }).end());
      assert.equal(await read(`ckan://once/dataset/${name}`), 'address_refused');
      assert.equal(await queryFile(`http://${name}/table.csv`), 'address_refused');
      assert.ok(world.resolver.lookUps(name) >= 2, 'the resolver was asked, for https and for http');
      assert.deepEqual(world.trapped, []);
    });
  }

  it('is looked up once for a connection, and what it says afterwards changes nothing', async () => {
    world.resolver.lead('moving.example', OUTSIDE, INSIDE);
    assert.equal(await read('ckan://moving/dataset/first'), 'of moving.example');
    assert.equal(world.resolver.lookUps('moving.example'), 1, 'the address that was judged is the one that was connected to');
    assert.equal(await read('ckan://moving/dataset/second'), 'of moving.example', 'over the same connection');
    assert.deepEqual(world.reached, [PUBLIC]);
    assert.deepEqual(world.trapped, []);
  });

  it('is judged anew for every new connection', async () => {
    // Both wait at the portal, so each needs a connection, and the second look-up leads inside.
    world.resolver.lead('pair.example', OUTSIDE, INSIDE);
    const waiting = [];
    for (const id of ['/one.csv', '/two.csv'])
      routes.set(id, (response) => waiting.push(() => response.end('x,y\n1,2\n')));
    const first = queryFile('http://pair.example/one.csv');
    await until('the first is at the portal', () => waiting.length === 1);
    assert.equal(await queryFile('http://pair.example/two.csv'), 'address_refused');
    waiting.forEach((end) => end());
    assert.deepEqual(await first, [{ x: 1, y: 2 }]);
    assert.equal(world.resolver.lookUps('pair.example'), 2);
    assert.deepEqual(world.trapped, []);
  });

  it('is judged anew where a redirect leads back to it', async () => {
    for (const [index, inner] of ['127.0.0.1', '169.254.169.254', '::1', '::ffff:169.254.169.254'].entries()) {
      const name = `back-${index}.example`;
      world.resolver.lead(name, OUTSIDE, answerOf(inner));
      routes.set(`/start-${index}.csv`, (response) => response.writeHead(302, { Location: `https://${name}/end.csv`, Connection: 'close' }).end());
      assert.equal(await queryFile(`http://${name}/start-${index}.csv`), 'address_refused');
      assert.equal(world.resolver.lookUps(name), 2);
    }
    assert.deepEqual(world.trapped, []);
  });

  it('is judged anew for a retry', async () => {
    for (const [index, inner] of ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1'].entries()) {
      const name = `again-${index}.example`;
      world.resolver.lead(name, 'NXDOMAIN', answerOf(inner));
      assert.equal(await queryFile(`http://${name}/table.csv`), 'address_refused');
      assert.equal(world.resolver.lookUps(name), 2);
    }
    assert.deepEqual(world.trapped, []);
  });

  it('whose portal is busy or breaks off is not asked inside by the retry', async () => {
    world.resolver.lead('busy.example', OUTSIDE, INSIDE);
    let calls = 0;
    routes.set('/busy.csv', (response) => {
      calls += 1;
      if (calls === 1) return response.writeHead(503, { 'Retry-After': '0', Connection: 'close' }).end();
      if (calls === 2) return response.socket.resetAndDestroy();
      return response.end('x,y\n1,2\n');
    });
    assert.deepEqual(await queryFile('http://busy.example/busy.csv'), [{ x: 1, y: 2 }]);
    assert.equal(calls, 3);
    assert.deepEqual(new Set(world.reached), new Set([PUBLIC]));
    assert.deepEqual(world.trapped, []);
  });

  it('with a public and an inner address is reached at the public one alone', async () => {
    const mixed = [
      { a: ['127.0.0.1', PUBLIC] }, { a: [PUBLIC, '127.0.0.1'] }, { a: [PUBLIC], aaaa: ['::1'] }, { a: ['10.0.0.1'], aaaa: [PUBLIC_V6] },
      { a: [PUBLIC], aaaa: ['::ffff:127.0.0.1', '64:ff9b::7f00:1'] },
    ];
    for (const [index, one] of mixed.entries()) {
      world.resolver.lead(`mixed-${index}.example`, one);
      assert.deepEqual(await queryFile(`http://mixed-${index}.example/table.csv`), [{ x: 1, y: 2 }], JSON.stringify(one));
    }
    assert.deepEqual(world.trapped, []);
  });

  it('that is another name of an inner one is refused', async () => {
    world.resolver.lead('alias.example', { a: ['169.254.169.254'] });
    assert.equal(await read('ckan://alias.example/dataset/x'), 'address_refused');
    assert.equal(await queryFile('http://alias.example/table.csv'), 'address_refused');
    assert.deepEqual(world.trapped, []);
  });

  it('of a portal that may be private does not lead to what gives out secrets', async () => {
    world.resolver.lead('own.example', { a: ['169.254.169.254'] });
    assert.equal(await read('ckan://own/dataset/x'), 'address_refused');
    assert.deepEqual(world.trapped, []);
    world.resolver.lead('loopback.example', INSIDE);
    await read('ckan://loopback/dataset/x');
    assert.ok(world.trapped.length > 0 && world.trapped.every((address) => address === '127.0.0.1'), 'loopback is what it is configured for');
  });
});
