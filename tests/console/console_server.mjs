// The program with its console, and Debian's Chromium. Everything that a page reports as an error fails the test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { binary } from '../e2e/server_process.mjs';
import { within } from '../e2e/waiting.mjs';

const START_MS_MAX = 60_000;
const root = fileURLToPath(new URL('../../.deps/console/', import.meta.url));
if (!existsSync(root)) throw new Error(`the npm packages are not installed, run scripts/bootstrap: ${root}`);
export const consolePackage = createRequire(root);
const CHROMIUM = '/usr/bin/chromium';

export const HOSTILE_CELL = '</td><img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';

export function sampleFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-console-'));
  let flights = 'origin,day,delay\n';
  const origins = ['ATL', 'ORD', 'DFW', 'LAX', ''];
  for (let i = 0; i < 3000; ++i) {
    const day = new Date(Date.UTC(2024, 0, 1 + (i % 90))).toISOString().slice(0, 10);
    flights += `${origins[i % 5]},${day},${((i * 37) % 101) - 20}\n`;
  }
  writeFileSync(join(folder, 'flights.csv'), flights);
  writeFileSync(join(folder, 'հայերեն.csv'), 'անուն,թիվ\nԱնի,1\nԱրամ,2\n');
  writeFileSync(join(folder, 'hostile.csv'), `"<b>name</b>",note\n"${HOSTILE_CELL.replaceAll('"', '""')}",1\n"\u202egnihton",2\n`);
  return folder;
}

// `sluice ui FOLDER --print-url`; `link` works once.
export class ConsoleServer {
  static async start(folder, more = []) {
    const server = new ConsoleServer();
    server.log = [];
    server.child = spawn(binary('SLUICE'), ['ui', folder, '--print-url', ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
    server.exited = new Promise((resolve) => server.child.once('close', resolve));
    createInterface({ input: server.child.stderr }).on('line', (line) => server.log.push(line));
    const link = new Promise((resolve) => createInterface({ input: server.child.stdout }).once('line', resolve));
    server.link = await within(START_MS_MAX, 'the link of the console', Promise.race([link, server.exited.then(() => {
      throw new Error(`the server ended while it started: ${server.log.join('\n')}`);
    })]));
    server.origin = new URL(server.link).origin;
    server.key = new URL(server.link).hash.replace('#key=', '');
    return server;
  }

  // Posts as a page of the console would, unless the headers say otherwise.
  post(path, body, headers = {}) {
    return fetch(`${this.origin}/console/${path}`, {
      method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Origin: this.origin, ...headers },
    });
  }

  async signIn() {
    const response = await this.post('sign-in', { key: this.key });
    assert.equal(response.status, 200);
    return (await response.json()).token;
  }

  mcp(token, method = 'tools/list', params = {}) {
    return fetch(`${this.origin}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method,
        ...(params.uri ? { 'Mcp-Name': params.uri } : {}), ...(params.name ? { 'Mcp-Name': params.name } : {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} } } }),
    });
  }

  async stop() {
    this.child.kill('SIGTERM');
    await within(10_000, 'the server to end', this.exited);
  }
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true });
}

export async function launchBrowser() {
  const { chromium } = consolePackage('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM,
    args: ['--font-render-hinting=none', '--disable-lcd-text', '--hide-scrollbars', '--force-color-profile=srgb'] });
}

// A page that fails the test when it reports an error, breaks its policy, or asks another server for anything.
export async function openPage(t, browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => { if (message.type() === 'error' && !/status of 40[134]/.test(message.text())) faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== server.origin) faults.push(`asked ${request.url()}`); });
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
  t.after(async () => {
    await context.close();
    assert.deepEqual(faults, []);
  });
  return page;
}
