// Behind nginx with TLS, under another host name than the one that the server listens on: what clients are told must be
// what people type, whatever the request looks like when it arrives.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import tls from 'node:tls';

import { legacyClient, modernClient } from './connection.mjs';
import { IdentityProvider, Login } from './identity_providers.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'sluice-proxy-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// A certificate for localhost, which this process trusts.
function certificate(place) {
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', join(place, 'key.pem'), '-out', join(place, 'cert.pem')], { stdio: 'ignore' });
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(join(place, 'cert.pem'), 'utf8')]);
}

// nginx as its documentation has it for streams; `host` is what it sends as the Host header.
async function startNginx(t, { place, port, upstream, host }) {
  mkdirSync(join(place, 'logs'));
  writeFileSync(join(place, 'nginx.conf'), `daemon off;
worker_processes 1;
error_log stderr;
pid ${place}/nginx.pid;
events { worker_connections 128; }
http {
  access_log off;
  client_body_temp_path ${place}/body; proxy_temp_path ${place}/proxy; fastcgi_temp_path ${place}/fastcgi;
  uwsgi_temp_path ${place}/uwsgi; scgi_temp_path ${place}/scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    server_name localhost;
    ssl_certificate ${place}/cert.pem;
    ssl_certificate_key ${place}/key.pem;
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_set_header Host ${host};
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-Host attacker.example;
      proxy_set_header X-Forwarded-Proto gopher;
      proxy_buffering off;
    }
  }
}
`);
  const child = spawn('/usr/sbin/nginx', ['-p', place, '-c', join(place, 'nginx.conf'), '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (text) => { log += text; });
  const ended = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until('nginx answers', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${log}`);
    return fetch(`https://localhost:${port}/healthz`).then((response) => response.ok, () => false);
  });
}

const SDKS = {
  modern: { client: modernClient, Transport: () => npmPackage('@modelcontextprotocol/client').StreamableHTTPClientTransport },
  legacy: { client: legacyClient, Transport: () => npmPackage('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport },
};

describe('behind nginx', () => {
  for (const sdk of Object.keys(SDKS)) {
    for (const host of ['$host:$server_port', '$host', '$proxy_host']) {
      it(`the ${sdk} client logs in and calls tools, with Host ${host}`, async (t) => {
        const place = folder(t);
        certificate(place);
        const provider = await IdentityProvider.start(t);
        const [port, inner] = [await freePort(), await freePort()];
        writeFileSync(join(place, 'sales.csv'), 'region,amount\nnorth,1\n');
        writeFileSync(join(place, 'sluice.yaml'), `server: { http: "127.0.0.1:${inner}", public_url: "https://localhost:${port}" }
auth: { issuers: [ { name: corp, issuer: "${provider.issuer}" } ], scopes: {} }
files: [ { name: sales, path: "." } ]
`);
        const server = await ServerProcess.listening(SLUICE, ['serve', join(place, 'sluice.yaml')]);
        t.after(() => server.stop());
        await startNginx(t, { place, port, upstream: `http://127.0.0.1:${inner}`, host });
        const url = new URL(`https://localhost:${port}/mcp`);
        const metadata = await (await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))).json();
        assert.equal(metadata.resource, url.href);
        const login = new Login();
        const first = new (SDKS[sdk].Transport())(url, { authProvider: login });
        await assert.rejects(SDKS[sdk].client().connect(first));
        const answer = await login.agreed();
        await first.finishAuth(answer.get('code'), answer.get('iss') ?? undefined);
        const client = SDKS[sdk].client();
        await client.connect(new (SDKS[sdk].Transport())(url, { authProvider: login }));
        t.after(() => client.close());
        assert.ok((await client.listTools()).tools.length > 0);
        assert.equal(login.visits[0].searchParams.get('resource'), url.href);
      });
    }
  }
});
