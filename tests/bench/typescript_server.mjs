// The same tool and resource as examples/everything_server, on the official TypeScript SDK: what `make bench` compares
// with. It takes the SDK's documented way to serve only the modern revision: a handler that builds an instance for each
// HTTP request (`createMcpHandler`), and one instance for a whole pipe (`serveStdio`). The low-level `Server` is used
// because it is the faster of the two the SDK offers: `McpServer` would register its tools again for each request.
//
//   node typescript_server.mjs NODE_MODULES [--http PORT]
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [modules, transport, port] = process.argv.slice(2);
// The packages are installed beside the tools of the tests, not above this file.
const { resolve } = createRequire(path.join(path.resolve(modules), 'anchor.cjs'));
const load = name => import(pathToFileURL(resolve(name).replace(/\.cjs$/, '.mjs')));

const tool = {
  name: 'test_simple_text',
  description: 'Returns a line of text.',
  inputSchema: { type: 'object', additionalProperties: false },
};
const resource = {
  uri: 'test://static-text',
  name: 'static-text',
  title: 'A static text',
  description: 'A static text resource for testing',
  mimeType: 'text/plain',
};

function build({ Server }) {
  const server = new Server({ name: 'typescript', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', () => ({
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  }));
  server.setRequestHandler('resources/list', () => ({ resources: [resource] }));
  server.setRequestHandler('resources/read', request => ({
    contents: [
      { uri: request.params.uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }));
  return server;
}

const sdk = await load('@modelcontextprotocol/server');
if (transport === '--http') {
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } = await load('@modelcontextprotocol/node');
  // `json` never opens a stream, which is the cheapest of the SDK's response modes.
  const handler = toNodeHandler(sdk.createMcpHandler(() => build(sdk), { legacy: 'reject', responseMode: 'json' }));
  const host_is_allowed = localhostHostValidation();
  const origin_is_allowed = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (host_is_allowed(request, response) && origin_is_allowed(request, response)) handler(request, response);
  });
  http.listen(Number(port), '127.0.0.1', () => {
    process.stderr.write(`http.listening url=http://127.0.0.1:${http.address().port}/mcp\n`);
  });
} else {
  const { serveStdio } = await load('@modelcontextprotocol/server/stdio');
  serveStdio(() => build(sdk), { legacy: 'reject' });
}
