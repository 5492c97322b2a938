// An MCP server that does what no server should. The way is its argument; until then it is a legacy server with one
// tool, `work`.
//
//   node misbehaving_server.mjs well|down|silent|slow|flapping|garbage|huge|flood
import { createInterface } from 'node:readline';
import process from 'node:process';

const way = process.argv[2];
if (way === 'down') process.exit(3);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    serverInfo: { name: way, version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'work', inputSchema: { type: 'object' } }] }),
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  ping: () => ({}),
};

function flood() {
  for (let i = 0; i < 200; ++i) {
    send({ method: 'notifications/tools/list_changed' });
    send({ method: 'notifications/resources/updated', params: { uri: `test://${i}` } });
  }
  setImmediate(flood);
}

function work(id) {
  if (way === 'flapping') process.exit(1);
  if (way === 'garbage') return process.stdout.write(`${'}{ no JSON '.repeat(1000)}\n`.repeat(100));
  if (way === 'huge') {
    const chunk = 'x'.repeat(1 << 20);
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`);
    for (let i = 0; i < 100; ++i) process.stdout.write(chunk);
    return process.stdout.write('"}]}}\n');
  }
  if (way === 'flood' || way === 'well') return send({ id, result: { content: [{ type: 'text', text: 'done' }] } });
}  // Slow: never.

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (way === 'silent') return;
  if (method === 'tools/call') return work(id);
  if (method === 'notifications/initialized' && way === 'flood') return flood();
  if (id === undefined) return;
  if (methods[method]) return send({ id, result: methods[method](params) });
  send({ id, error: { code: -32601, message: 'Method not found' } });
}).on('close', () => process.exit(0));
