// A client of the server's own Streamable HTTP endpoint, revision 2026-07-28. Answers are JSON or a stream of
// events; requests are cancelled by aborting them.

const REVISION = '2026-07-28';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
// What servers send is looked at where it is used.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Result = any;

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

// What an answer cost.
export interface Cost {
  ms: number;
  bytes: number;
}

export class ServerError extends Error {
  constructor(message: string, readonly code: string, readonly hint: string) {
    super(message);
  }
}

// The session is over: somebody has to sign in again.
export class SignedOut extends Error {}

export class Unreachable extends Error {}

// Header values are visible ASCII; others are written in base64 between marks.
function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}

function errorOf(error: Result): ServerError {
  return new ServerError(String(error?.message ?? 'The server failed'), String(error?.data?.code ?? error?.code ?? ''),
    String(error?.data?.hint ?? ''));
}

export class McpClient {
  private lastId = 0;
  lastCost: Cost = { ms: 0, bytes: 0 };

  constructor(private readonly endpoint: string, private readonly token: () => string | null) {}

  async request(method: string, params: { [key: string]: Json } = {}, options: CallOptions = {}): Promise<Result> {
    const id = ++this.lastId;
    const begin = performance.now();
    const meta: { [key: string]: Json } = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'sluice-console', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    if (options.onProgress) meta.progressToken = id;
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
    };
    const name = params.name ?? params.uri;
    if (typeof name === 'string') headers['Mcp-Name'] = headerValue(name);
    const token = this.token();
    if (token) headers.Authorization = `Bearer ${token}`;
    let response: Response;
    try {
      response = await fetch(this.endpoint, {
        method: 'POST',
        headers,
        signal: options.signal,
        cache: 'no-store',
        credentials: 'omit',
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Unreachable('The server does not answer');
    }
    if (response.status === 401) throw new SignedOut('Sign in again');
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
    const message = isStream ? await this.readStream(response, id, options) : await this.readJson(response, begin);
    if (isStream) this.lastCost.ms = performance.now() - begin;
    if (message.error) throw errorOf(message.error);
    return message.result;
  }

  private async readJson(response: Response, begin: number): Promise<Result> {
    const text = await response.text();
    this.lastCost = { ms: performance.now() - begin, bytes: text.length };
    try {
      return JSON.parse(text);
    } catch {
      throw new ServerError(`The server answered with ${response.status}`, String(response.status), '');
    }
  }

  private async readStream(response: Response, id: number, options: CallOptions): Promise<Result> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let bytes = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Unreachable('The answer ended before it was complete');
      bytes += value.length;
      rest += value;
      const events = rest.split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart()).join('\n');
        if (!data) continue;
        const message = JSON.parse(data);
        if (message.method === 'notifications/progress') options.onProgress?.(message.params);
        if (message.id === id && !message.method) {
          this.lastCost = { ms: 0, bytes };
          return message;
        }
      }
    }
  }

  async callTool(name: string, args: { [key: string]: Json }, options: CallOptions = {}): Promise<Result> {
    const result = await this.request('tools/call', { name, arguments: args }, options);
    if (result.isError) {
      const text = textOf(result);
      try {
        const error = JSON.parse(text);
        throw new ServerError(String(error.error ?? text), String(error.code ?? ''), String(error.hint ?? ''));
      } catch (error) {
        if (error instanceof ServerError) throw error;
        throw new ServerError(text, '', '');
      }
    }
    return result;
  }

  async readJsonResource(uri: string, options: CallOptions = {}): Promise<Result> {
    const result = await this.request('resources/read', { uri }, options);
    return JSON.parse(result.contents[0].text);
  }

  // All pages of a list.
  async list(method: string, key: string, options: CallOptions = {}): Promise<Result[]> {
    const out: Result[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 100; ++page) {
      const result = await this.request(method, cursor ? { cursor } : {}, options);
      out.push(...result[key]);
      cursor = result.nextCursor;
      if (!cursor) break;
    }
    return out;
  }
}

export function textOf(result: Result): string {
  return (result.content ?? []).filter((one: Result) => one.type === 'text').map((one: Result) => one.text).join('\n');
}

// As the server estimates them: a quarter of the UTF-8 bytes.
export function tokensOf(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}
