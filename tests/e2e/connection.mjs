// A client of one of the official SDKs, connected to the real binary, with every message checked.
import { npmPackage } from './npm_package.mjs';
import { SchemaCheck } from './schema_check.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { tapStdio, tappedFetch } from './wire_tap.mjs';

export const TRANSPORTS = ['stdio', 'http'];
export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';

const INFO = { name: 'sluice-e2e', version: '1.0.0' };
export const ASKABLE = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };

// The official client of the modern era. `era: 'legacy'` makes it speak as it does to an old server.
export function modernClient({ era = 'modern', capabilities = ASKABLE, ...options } = {}) {
  const { Client } = npmPackage('@modelcontextprotocol/client');
  const mode = era === 'modern' ? { pin: MODERN } : era;
  return new Client(INFO, { capabilities, versionNegotiation: { mode }, ...options });
}

export function legacyClient({ capabilities = ASKABLE, ...options } = {}) {
  const { Client } = npmPackage('@modelcontextprotocol/sdk/client/index.js');
  return new Client(INFO, { capabilities, ...options });
}

const SDK = {
  modern: {
    stdio: () => npmPackage('@modelcontextprotocol/client/stdio').StdioClientTransport,
    http: () => npmPackage('@modelcontextprotocol/client').StreamableHTTPClientTransport,
  },
  legacy: {
    stdio: () => npmPackage('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport,
    http: () => npmPackage('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport,
  },
};

// Connects `client`, made for `sdk` ("modern" or "legacy"), to a server of its own (or to `server`, an HTTP one), and
// ends all of it when the test `t` ends. `args` are for a program over stdio.
export async function connect(t, client, { sdk, transport, program = 'EVERYTHING_SERVER', args = [], revision, server,
  ...transportOptions }) {
  const check = new SchemaCheck(revision ?? (sdk === 'modern' ? MODERN : LEGACY));
  const Transport = SDK[sdk][transport]();
  let link;
  if (transport === 'stdio') {
    link = tapStdio(new Transport({ command: binary(program), args, stderr: 'ignore' }), check);
  } else {
    server ??= await startHttp(t, program);
    link = new Transport(server.url, { fetch: tappedFetch(check), ...transportOptions });
  }
  const errors = [];
  client.onerror = (error) => errors.push(error);
  t.after(() => client.close());
  await client.connect(link);
  return { client, check, server, link, errors };
}

export async function startHttp(t, program = 'EVERYTHING_SERVER') {
  const server = await ServerProcess.http(binary(program));
  t.after(async () => {
    const end = await server.stop();
    if (end.code !== 0) throw new Error(`the server ended with ${end.code ?? end.signal}: ${server.log.join('\n')}`);
  });
  return server;
}

export const connectModern = (t, transport, options = {}) =>
  connect(t, modernClient(options.client), { sdk: 'modern', transport, ...options });

export const connectLegacy = (t, transport, options = {}) =>
  connect(t, legacyClient(options.client), { sdk: 'legacy', transport, ...options });

// Every combination of official client and transport; a feature works the same over all of them.
export const WAYS = ['modern', 'legacy'].flatMap((sdk) =>
  TRANSPORTS.map((transport) => ({
    sdk,
    transport,
    name: `${sdk} client over ${transport}`,
    connect: (t, options) => (sdk === 'modern' ? connectModern : connectLegacy)(t, transport, options),
  })));

// The two SDKs register handlers by name and by schema.
const HANDLER_SCHEMAS = {
  'elicitation/create': 'ElicitRequestSchema',
  'sampling/createMessage': 'CreateMessageRequestSchema',
  'roots/list': 'ListRootsRequestSchema',
  'notifications/message': 'LoggingMessageNotificationSchema',
  'notifications/resources/updated': 'ResourceUpdatedNotificationSchema',
  'notifications/resources/list_changed': 'ResourceListChangedNotificationSchema',
  'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
  'notifications/prompts/list_changed': 'PromptListChangedNotificationSchema',
};

export function onRequest(way, client, method, handler) {
  client.setRequestHandler(handlerKey(way, method), handler);
}

// Gives the list that the notifications with this method are added to.
export function collect(way, client, method) {
  const seen = [];
  client.setNotificationHandler(handlerKey(way, method), (notification) => {
    seen.push(notification.params ?? {});
  });
  return seen;
}

function handlerKey(way, method) {
  if (way.sdk === 'modern') return method;
  return npmPackage('@modelcontextprotocol/sdk/types.js')[HANDLER_SCHEMAS[method]];
}
