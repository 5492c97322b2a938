// Identity providers for the tests: the certified npm package `oidc-provider`, one process each, on loopback. The user
// agrees to everything: whoever opens the page of an authorization request is sent back with a code.
import { createServer, get } from 'node:http';
import { generateKeyPairSync, randomUUID } from 'node:crypto';

import { npmPackage } from './npm_package.mjs';

const { Provider } = npmPackage('oidc-provider');

export const SCOPES = ['sluice:read', 'sluice:write'];

export function signingKey(type, kid) {
  const { privateKey } = type === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: type };
}

export class IdentityProvider {
  // `format` of access tokens: "jwt" or "opaque". `lifetime` in seconds; `refreshes`: whether refresh
  // tokens are issued.
  static async start(t, { algorithm = 'ES256', format = 'jwt', lifetime = 600, refreshes = true } = {}) {
    const provider = new IdentityProvider();
    Object.assign(provider, { algorithm, format, lifetime, refreshes, keys: [signingKey(algorithm, 'first')] });
    provider.asked = [];  // Paths of requests.
    provider.http = createServer((request, response) => provider.answer(request, response));
    await new Promise((resolve) => provider.http.listen(0, '127.0.0.1', resolve));
    provider.port = provider.http.address().port;
    provider.issuer = `http://127.0.0.1:${provider.port}`;
    provider.publish();
    t.after(() => provider.stop());
    return provider;
  }

  // Goes on with the keys that there are now.
  publish() {
    const server = new Provider(this.issuer, {
      jwks: { keys: this.keys },
      clients: [
        { client_id: 'machine', client_secret: 'machine-secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [], id_token_signed_response_alg: this.algorithm },
        { client_id: 'sluice', client_secret: 'sluice-secret-0123', grant_types: [], redirect_uris: [], response_types: [], id_token_signed_response_alg: this.algorithm },
      ],
      clientDefaults: { id_token_signed_response_alg: this.algorithm },
      scopes: ['openid', 'offline_access', ...SCOPES],
      pkce: { required: () => true },
      cookies: { keys: ['cookies of the tests'] },
      ttl: { AccessToken: () => this.lifetime, ClientCredentials: () => this.lifetime },
      issueRefreshToken: async () => this.refreshes,
      // As in its JSON Web Tokens, a client that acts for itself is the subject.
      extraTokenClaims: async (context, token) => (token.kind === 'ClientCredentials' ? { sub: token.clientId } : undefined),
      findAccount: async (context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
      interactions: { url: (context, interaction) => `/interaction/${interaction.uid}` },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        introspection: { enabled: true, allowedPolicy: async () => true },
        revocation: { enabled: true },
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: async () => true,
          getResourceServerInfo: async (context, resource) => ({
            scope: SCOPES.join(' '), audience: resource, accessTokenFormat: this.format, accessTokenTTL: this.lifetime,
            jwt: { sign: { alg: this.algorithm } },
          }),
        },
      },
    });
    this.provider = server;
    this.handler = server.callback();
  }

  // As many as there were requests to this path.
  count(path) {
    return this.asked.filter((each) => each === path).length;
  }

  async answer(request, response) {
    const { pathname } = new URL(request.url, this.issuer);
    this.asked.push(pathname);
    if (pathname === '/reg' && request.method === 'POST') {
      // Clients name the scopes that they want first. As at most providers, they may ask for others later.
      let text = '';
      for await (const piece of request) text += piece;
      request.body = JSON.parse(text);
      delete request.body.scope;
    }
    if (!pathname.startsWith('/interaction/')) return this.handler(request, response);
    const details = await this.provider.interactionDetails(request, response);
    if (details.prompt.name === 'login')
      return this.provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
    const { params, session, grantId } = details;
    const grant = grantId ? await this.provider.Grant.find(grantId)
      : new this.provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope ?? '');
    if (params.resource) grant.addResourceScope(params.resource, params.scope ?? '');
    return this.provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  }

  // A token of the client `machine` for itself.
  async machineToken(resource, scope = 'sluice:read') {
    const answered = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('machine:machine-secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
    });
    const body = await answered.json();
    if (!body.access_token) throw new Error(`the provider gives no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  async revoke(token) {
    await fetch(`${this.issuer}/token/revocation`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('machine:machine-secret').toString('base64')}` },
      body: new URLSearchParams({ token }),
    });
  }

  async stop() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  // The same issuer again, after `stop`.
  async restart() {
    this.http = createServer((request, response) => this.answer(request, response));
    await new Promise((resolve) => this.http.listen(this.port, '127.0.0.1', resolve));
  }
}

// Opens the page of an authorization request as a browser with cookies does, and gives the parameters that the redirect
// to the client carries.
export async function agree(url, redirectUri) {
  const cookies = new Map();
  let at = new URL(url);
  for (let step = 0; step < 10; ++step) {
    const { status, headers } = await open(at, cookies);
    for (const line of headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    if (!headers.location) throw new Error(`the provider shows a page with status ${status} instead of a redirect: ${at}`);
    at = new URL(headers.location, at);
    if (at.href.startsWith(redirectUri)) {
      if (!at.searchParams.has('code')) throw new Error(`the provider refuses: ${at.searchParams}`);
      return at.searchParams;
    }
  }
  throw new Error('the provider redirects without an end');
}

function open(url, cookies) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    get(url, { headers: { cookie, accept: 'text/html' } }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    }).on('error', reject);
  });
}

// What the official clients need to log in, and a record of it. The user is `agree`.
export class Login {
  redirectUrl = `http://127.0.0.1:9/${randomUUID()}`;  // Nobody listens there: the test is the browser.
  visits = [];  // Authorization requests.
  registrations = 0;

  constructor({ scope } = {}) {
    this.clientMetadata = {
      client_name: 'a test', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'], token_endpoint_auth_method: 'none', application_type: 'native',
      ...(scope ? { scope } : {}),
    };
  }
  clientInformation() { return this.client; }
  saveClientInformation(client) {
    ++this.registrations;
    this.client = client;
  }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(url) { this.visits.push(url); }

  // The answer of the user to the last visit.
  async agreed() {
    return agree(this.visits.at(-1), this.redirectUrl);
  }
}
