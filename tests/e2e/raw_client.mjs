// Requests written by hand: for what the official clients do not do, or must not.
import { SchemaCheck } from './schema_check.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { tappedFetch } from './wire_tap.mjs';
import { until } from './waiting.mjs';

export const MODERN = '2026-07-28';
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

export const modernMeta = (capabilities = {}) => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

export function modernRequest(id, method, params = {}, capabilities = {}) {
  const _meta = { ...modernMeta(capabilities), ...params._meta };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

// The headers that a modern request over HTTP repeats parts of its body in.
export function modernHeaders({ method, params }) {
  const name = params?.name ?? params?.uri ?? params?.taskId;
  return {
    'content-type': 'application/json',
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name !== undefined && ['tools/call', 'prompts/get', 'resources/read', 'tasks/get', 'tasks/update',
      'tasks/cancel'].includes(method) ? { 'mcp-name': name } : {}),
  };
}

// One line per message over the pipes of a process of its own.
export class RawPipe {
  constructor(t, { revision = MODERN, program = 'EVERYTHING_SERVER' } = {}) {
    this.server = ServerProcess.stdio(binary(program));
    this.check = new SchemaCheck(revision);
    this.nextId = 1;
    let rest = '';
    this.server.child.stdout.setEncoding('utf8');
    this.server.child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      lines.forEach((line) => this.check.receivedText(line));
    });
    t.after(() => this.server.stop());
  }

  send(message) {
    this.check.sent(message);
    this.server.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  answerTo(id) {
    return until(`request ${id} is answered`, () =>
      this.check.received.find((message) => message.id === id && message.method === undefined));
  }

  modern(method, params, capabilities) {
    return this.request(modernRequest(this.nextId++, method, params, capabilities));
  }

  async request(message) {
    this.send(message);
    return this.answerTo(message.id);
  }

  legacy(method, params) {
    return this.request({ jsonrpc: '2.0', id: this.nextId++, method, ...(params ? { params } : {}) });
  }
}

// One POST per message. An answer that is a stream is read to its end.
export class RawHttp {
  constructor(server) {
    this.server = server;
    this.check = new SchemaCheck(MODERN);
    this.fetch = tappedFetch(this.check);
    this.nextId = 1;
  }

  async modern(method, params, capabilities, signal) {
    const message = modernRequest(this.nextId++, method, params, capabilities);
    const response = await this.post(message, signal);
    await response.text();
    return this.check.received.find((one) => one.id === message.id && one.method === undefined);
  }

  post(message, signal) {
    return this.fetch(this.server.url,
      { method: 'POST', headers: modernHeaders(message), body: JSON.stringify(message), signal });
  }

  // Opens a stream that goes on until the test ends; its messages are in `check.received`.
  async listen(t, params, capabilities) {
    const abort = new AbortController();
    t.after(() => abort.abort());
    const message = modernRequest(this.nextId++, 'subscriptions/listen', params, capabilities);
    const response = await this.post(message, abort.signal);
    response.text().catch(() => {});  // Reads on until the test lets go of it.
    return message.id;
  }
}
