// A client that is killed in the middle of its calls:   node killed_client.mjs stdio PROGRAM | http URL CALLS
// Over stdio it prints the process id of its server, once the call is under way.
import { npmPackage } from './npm_package.mjs';

const [kind, target, calls] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = npmPackage('@modelcontextprotocol/client');
const { StdioClientTransport } = npmPackage('@modelcontextprotocol/client/stdio');

const client = new Client({ name: 'killed', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
const transport = kind === 'http' ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, stderr: 'ignore' });
await client.connect(transport);
for (let i = 0; i < Number(calls ?? 1); ++i)
  client.callTool({ name: 'test_wait', arguments: {} }).catch(() => {});
if (kind === 'stdio') {
  await client.callTool({ name: 'test_simple_text', arguments: {} });  // Sent after the other one, so that has begun.
  console.log(transport.pid);
}
