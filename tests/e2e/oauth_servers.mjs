// An authorization server and an MCP server that it protects, both on loopback and in this process, with a record of
// what they were sent. The user agrees to everything: whoever opens the page is sent back with a code.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { npmPackage } from './npm_package.mjs';

const z = npmPackage('zod');
const random = () => randomBytes(12).toString('hex');

async function listen(t, handler) {
  const http = createServer(handler);
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${http.address().port}`;
}

async function textOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}

function sendJson(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

// Public clients register themselves; `machine` with the secret `machine-secret` acts for itself.
export class AuthorizationServer {
  static async start(t, { lifetime = 3600, revokes = false } = {}) {
    const server = new AuthorizationServer();
    server.revokes = revokes;  // Whether it offers an endpoint for that.
    server.lifetime = lifetime;
    server.requests = [];  // { path, fields, authorization } of the token and registration endpoints.
    server.tokens = new Map();  // Access tokens that are good: their scopes.
    server.codes = new Map();
    server.refresh = new Map();
    server.beforeToken = async () => {};  // Awaited before a token request is answered.
    server.issuer = await listen(t, (request, response) => server.answer(request, response));
    return server;
  }

  asked(grant) {
    return this.requests.filter(({ fields }) => fields.grant_type === grant);
  }
  revoke() {
    this.tokens.clear();
  }

  async answer(request, response) {
    const url = new URL(request.url, this.issuer);
    if (url.pathname === '/.well-known/oauth-authorization-server') return this.describe(response);
    if (url.pathname === '/authorize') return this.agree(url.searchParams, response);
    const text = await textOf(request);
    if (url.pathname === '/register') {
      this.requests.push({ path: '/register', fields: {} });
      return sendJson(response, 201, { client_id: `client-${random()}`, token_endpoint_auth_method: 'none' });
    }
    if (url.pathname === '/revoke') {
      const { token } = Object.fromEntries(new URLSearchParams(text));
      this.requests.push({ path: '/revoke', fields: {} });
      this.tokens.delete(token);
      this.refresh.delete(token);
      return response.writeHead(200).end();
    }
    if (url.pathname !== '/token') return response.writeHead(404).end();
    const fields = Object.fromEntries(new URLSearchParams(text));
    this.requests.push({ path: '/token', fields, authorization: request.headers.authorization });
    await this.beforeToken();
    return this.give(fields, request.headers.authorization, response);
  }

  describe(response) {
    sendJson(response, 200, {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      ...(this.revokes ? { revocation_endpoint: `${this.issuer}/revoke` } : {}),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    });
  }

  agree(query, response) {
    const code = `code-${random()}`;
    this.codes.set(code, { challenge: query.get('code_challenge'), scope: query.get('scope') ?? '', uri: query.get('redirect_uri') });
    const back = new URL(query.get('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state'));
    response.writeHead(302, { Location: back.href }).end();
  }

  give(fields, authorization, response) {
    const refused = (error) => sendJson(response, 400, { error });
    if (fields.grant_type === 'client_credentials') {
      const known = `Basic ${Buffer.from('machine:machine-secret').toString('base64')}`;
      if (authorization !== known) return sendJson(response, 401, { error: 'invalid_client' });
      return this.issue(response, fields.scope ?? '', false);
    }
    if (fields.grant_type === 'authorization_code') {
      const visit = this.codes.get(fields.code);
      this.codes.delete(fields.code);
      const challenge = createHash('sha256').update(fields.code_verifier ?? '').digest('base64url');
      if (!visit || visit.challenge !== challenge || visit.uri !== fields.redirect_uri) return refused('invalid_grant');
      return this.issue(response, visit.scope, true);
    }
    const scope = this.refresh.get(fields.refresh_token);
    if (fields.grant_type !== 'refresh_token' || scope === undefined) return refused('invalid_grant');
    this.refresh.delete(fields.refresh_token);  // Each is good once.
    return this.issue(response, scope, true);
  }

  issue(response, scope, withRefresh) {
    const token = `access-token-${random()}`;
    this.tokens.set(token, scope);
    const answer = { access_token: token, token_type: 'Bearer', expires_in: this.lifetime, scope };
    if (withRefresh) {
      answer.refresh_token = `refresh-token-${random()}`;
      this.refresh.set(answer.refresh_token, scope);
    }
    sendJson(response, 200, answer);
  }
}

// One tool, `whoami`, and one resource. Without a good token: 401. `needs` is a scope that the tool wants: 403.
export class ProtectedServer {
  static async start(t, authorization, { needs } = {}) {
    const { McpServer, createMcpHandler } = npmPackage('@modelcontextprotocol/server');
    const { toNodeHandler } = npmPackage('@modelcontextprotocol/node');
    const server = new ProtectedServer();
    server.seen = [];  // The Authorization headers of requests to /mcp.
    server.described = 0;  // How often it was asked who protects it.
    server.issuers = [authorization.issuer];
    const handler = toNodeHandler(createMcpHandler(() => {
      const mcp = new McpServer({ name: 'protected', version: '1.0.0' });
      mcp.registerTool('whoami', { description: 'Says it.', inputSchema: z.object({}) },
        async () => ({ content: [{ type: 'text', text: 'somebody who may' }] }));
      mcp.registerResource('note', 'note://one', { mimeType: 'text/plain' },
        async (uri) => ({ contents: [{ uri: uri.href, text: 'a protected note' }] }));
      return mcp;
    }));
    server.origin = await listen(t, (request, response) => {
      if (request.url === '/.well-known/oauth-protected-resource/mcp') {
        ++server.described;
        return sendJson(response, 200, { resource: server.url, authorization_servers: server.issuers });
      }
      if (request.url !== '/mcp') return response.writeHead(404).end();
      const header = request.headers.authorization ?? '';
      server.seen.push(header);
      const scopes = authorization.tokens.get(header.replace(/^Bearer /, ''));
      if (scopes === undefined) return response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      const acts = request.headers['mcp-method'] === 'tools/call';
      if (needs && acts && !scopes.split(' ').includes(needs))
        return response.writeHead(403, { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needs}"` }).end();
      return handler(request, response);
    });
    server.url = `${server.origin}/mcp`;
    return server;
  }
}
