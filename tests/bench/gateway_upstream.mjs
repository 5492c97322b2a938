// A server of the legacy era over HTTP that takes its time: it counts its reads, and tells the count by a tool. The first
// connection to /slow/N waits N ms for its answer to `initialize`.
//
//   node gateway_upstream.mjs READ_MS
import { createServer } from 'node:http';
import process from 'node:process';

const readMs = Number(process.argv[2] ?? 0);
let reads = 0;

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: 'slow', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'count', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: String(reads) }] }),
  'resources/list': () => ({ resources: [{ uri: 'test://slow', name: 'slow' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => {
    reads += 1;
    return { contents: [{ uri, text: 'read at last' }] };
  },
  ping: () => ({}),
};

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const message = parts.length > 0 ? JSON.parse(Buffer.concat(parts)) : {};
  if (request.method !== 'POST') return response.writeHead(405).end();
  if (message.id === undefined) return response.writeHead(202).end();
  const wait = message.method === 'initialize' ? Number(request.url.split('/').at(-1)) || 0
    : message.method === 'resources/read' ? readMs : 0;
  const answer = answers[message.method];
  const body = JSON.stringify({ jsonrpc: '2.0', id: message.id,
    ...(answer ? { result: answer(message.params ?? {}) } : { error: { code: -32601, message: 'Method not found' } }) });
  setTimeout(() => response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(body), wait);
});
server.listen(0, '127.0.0.1', () => process.stderr.write(`listening http://127.0.0.1:${server.address().port}/mcp\n`));
