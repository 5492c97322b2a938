// A client with a small receive window that sends and never reads. Node cannot make the window small, Python can.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { within } from '../e2e/waiting.mjs';

const PROGRAM = `
import socket, sys
host, port, size, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
peer = socket.socket()
peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
peer.connect((host, port))
request = sys.stdin.buffer.read(size)
print("connected", flush=True)
try:
    for _ in range(times):
        peer.sendall(request)
except OSError:
    pass
sys.stdin.buffer.read()
`;

// Resolves when it is connected. It ends with the test.
export async function startDeafClient(t, server, request, times = 1) {
  const size = Buffer.byteLength(request);
  const child = spawn('python3', ['-c', PROGRAM, server.url.hostname, server.url.port, String(size), String(times)],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  child.stdin.write(request);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`python3, which plays the deaf client, ended with ${code}`);
  });
  failed.catch(() => {});
  await within(10_000, 'the deaf client to connect', Promise.race([once(child.stdout, 'data'), failed]));
}
