// Servers built on the official packages, as programs for a client to talk to:
//
//   node npm_servers.mjs modern|legacy stdio|http
//
// "modern" is @modelcontextprotocol/server 2.x, "legacy" is @modelcontextprotocol/sdk 1.x. Over HTTP the URL is the
// first line of stderr.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';

import { npmPackage } from './npm_package.mjs';

const z = npmPackage('zod');
const INFO = { name: 'npm', version: '1.0.0' };

function register(server) {
  server.registerTool('echo', { description: 'Echoes.', inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }));
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
}

function modernFactory() {
  const { McpServer } = npmPackage('@modelcontextprotocol/server');
  const server = new McpServer(INFO);
  register(server);
  return server;
}

function legacyServer() {
  const { McpServer } = npmPackage('@modelcontextprotocol/sdk/server/mcp.js');
  const server = new McpServer(INFO);
  server.registerTool('echo', { description: 'Echoes.', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }));
  server.registerTool('ask', { description: 'Asks who is there.' }, async () => {
    const answer = await server.server.elicitInput({
      message: 'Who is there?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return { content: [{ type: 'text', text: `${answer.action} ${answer.content?.name ?? ''}`.trim() }] };
  });
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  return server;
}

function listen(handler) {
  const http = createServer(handler);
  http.listen(0, '127.0.0.1', () => process.stderr.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : undefined;
}

// Sessions, as the SDK's own examples keep them.
function legacyHttp() {
  const { StreamableHTTPServerTransport } = npmPackage('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const sessions = new Map();
  listen(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport && body?.method === 'initialize') {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await legacyServer().connect(transport);
    }
    if (!transport) {
      response.writeHead(request.headers['mcp-session-id'] ? 404 : 400).end();
      return;
    }
    await transport.handleRequest(request, response, body);
  });
}

async function main(era, transport) {
  if (era === 'modern' && transport === 'stdio') {
    npmPackage('@modelcontextprotocol/server/stdio').serveStdio(modernFactory, { legacy: 'reject' });
  } else if (era === 'modern') {
    const { createMcpHandler } = npmPackage('@modelcontextprotocol/server');
    const { toNodeHandler } = npmPackage('@modelcontextprotocol/node');
    listen(toNodeHandler(createMcpHandler(modernFactory, { legacy: 'reject' })));
  } else if (transport === 'stdio') {
    const { StdioServerTransport } = npmPackage('@modelcontextprotocol/sdk/server/stdio.js');
    await legacyServer().connect(new StdioServerTransport());
  } else {
    legacyHttp();
  }
}

await main(...process.argv.slice(2));
