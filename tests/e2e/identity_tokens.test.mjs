// Thousands of good and broken tokens: the server must judge each as the npm package `jose` does, with the stricter rules
// of the server added to it.
import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes, constants } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { randomFrom } from '../hostile/random.mjs';
import { npmPackage } from './npm_package.mjs';
import { ServerProcess, binary } from './server_process.mjs';

const { createLocalJWKSet, jwtVerify } = npmPackage('jose');
const SLUICE = binary('SLUICE');
const TOKENS = 3_000;
const ISSUERS = ['https://one.example/', 'https://two.example/realms/a'];
const AUDIENCE = 'https://data.example/mcp';
const MAKE = {
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  P256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  P384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  Ed: () => generateKeyPairSync('ed25519'),
};
const ALGORITHMS = {
  RS256: 'RSA', RS384: 'RSA', RS512: 'RSA', PS256: 'RSA', PS384: 'RSA', PS512: 'RSA', ES256: 'P256', ES384: 'P384', EdDSA: 'Ed',
};

function signed(bytes, algorithm, key) {
  if (algorithm === 'EdDSA') return signBytes(null, bytes, key);
  const digest = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('PS')) {
    return signBytes(digest, bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(algorithm.slice(2)) / 8 });
  }
  return algorithm.startsWith('ES') ? signBytes(digest, bytes, { key, dsaEncoding: 'ieee-p1363' }) : signBytes(digest, bytes, key);
}

// The keys of one issuer: one of each type, and a second one for P-256.
function keysOf(name) {
  return Object.entries({ RSA: 1, P256: 2, P384: 1, Ed: 1 }).flatMap(([type, count]) =>
    Array.from({ length: count }, (_, i) => ({ type, kid: `${name}-${type}-${i}`, ...MAKE[type]() })));
}

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

// A token, and whether something about it is wrong that `jose` does not mind.
function generate(random, worlds, now) {
  const world = random.pick(worlds);
  const algorithm = random.pick(Object.keys(ALGORITHMS));
  const key = random.pick(world.keys.filter((each) => each.type === ALGORITHMS[algorithm]));
  const header = { alg: algorithm, kid: key.kid };
  if (random.below(3) > 0) header.typ = random.pick(['at+jwt', 'JWT', 'application/at+jwt']);
  const claims = { iss: world.issuer, aud: random.below(2) ? AUDIENCE : ['x', AUDIENCE], sub: `s${random.below(50)}`, exp: now + 600 };
  let signer = key;
  let strict = false;  // Refused, whatever jose says.
  let edit = (token) => token;
  const mutations = [
    () => { claims.exp = now - 31 - random.below(1000); },
    () => { claims.exp = now - 1 - random.below(10); },  // Within the skew.
    () => { claims.nbf = now + 60 + random.below(1000); },
    () => { claims.nbf = now + random.below(20); },
    () => { claims.aud = random.pick(['https://data.example/', `${AUDIENCE}/`, [], ['x'], 'account']); },
    () => { claims.iss = random.pick([...worlds.map((each) => each.issuer), 'https://one.example', 'https://three.example/']); },
    () => { delete claims[random.pick(['exp', 'sub', 'aud', 'iss'])]; },
    () => { claims.exp = String(claims.exp); },
    () => { signer = random.pick(worlds.flatMap((each) => each.keys)); },
    () => { header.kid = random.pick(worlds.flatMap((each) => each.keys)).kid; },
    () => { header.alg = random.pick([...Object.keys(ALGORITHMS), 'none', 'HS256', 'ES512']); },
    () => { delete header.kid; },
    () => { header.typ = random.pick(['dpop+jwt', 'JOSE', '']); strict = true; },
    () => { header.crit = ['exp']; strict = true; },
    () => { header.jwk = createPublicKey(signer.privateKey).export({ format: 'jwk' }); signer = random.pick(worlds.flatMap((each) => each.keys)); },
    () => { claims[random.pick(['nonce', 'at_hash', 'cnf'])] = 'x'; strict = true; },
    () => { claims.sub = random.pick(['', 'a\nb', 7, 'x'.repeat(257)]); strict = true; },
    () => { edit = (token) => flip(random, token); },
    () => { edit = (token) => token.slice(0, random.below(token.length)); },
    () => { edit = (token) => `${token}${random.pick(['=', '.', 'A', '.e30'])}`; },
    () => { edit = (token) => `${token.split('.').slice(0, 2).join('.')}.`; },
    () => {
      strict = true;
      edit = (token) => {
        const [head, body] = token.split('.');
        const secret = random.pick([createPublicKey(key.privateKey).export({ format: 'pem', type: 'spki' }), createPublicKey(key.privateKey).export({ format: 'der', type: 'spki' }), '']);
        const forged = encode({ ...JSON.parse(Buffer.from(head, 'base64url')), alg: 'HS256' });
        return `${forged}.${body}.${createHmac('sha256', secret).update(`${forged}.${body}`).digest('base64url')}`;
      };
    },
  ];
  const count = random.below(3) === 0 ? 0 : 1 + random.below(2);
  for (let i = 0; i < count; ++i) random.pick(mutations)();
  const text = `${encode(header)}.${encode(claims)}`;
  const usable = ALGORITHMS[header.alg] === signer.type ? header.alg : Object.keys(ALGORITHMS).find((each) => ALGORITHMS[each] === signer.type);
  return { token: edit(`${text}.${signed(Buffer.from(text), usable, signer.privateKey).toString('base64url')}`), strict };
}

function flip(random, token) {
  const at = random.below(token.length);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, at) + alphabet[random.below(64)] + token.slice(at + 1);
}

// The model.
async function isGood({ token, strict }, worlds) {
  if (strict) return false;
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part)) return false;
  let claims;
  let header;
  try {
    [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(part, 'base64url'))));
  } catch {
    return false;
  }
  const world = worlds.find((each) => each.issuer === claims?.iss);
  if (!world || !header || typeof header !== 'object' || !ALGORITHMS[header.alg]) return false;
  if (header.typ !== undefined && !['at+jwt', 'jwt'].includes(String(header.typ).toLowerCase().replace(/^application\//, ''))) return false;
  if (header.crit !== undefined || ['nonce', 'at_hash', 'cnf'].some((name) => name in claims)) return false;
  if (typeof claims.sub !== 'string' || claims.sub === '' || claims.sub.length > 256 || /[\p{Cc}\p{Cf}]/u.test(claims.sub)) return false;
  try {
    await jwtVerify(token, world.resolve, {
      issuer: world.issuer, audience: AUDIENCE, algorithms: Object.keys(ALGORITHMS), clockTolerance: 30, requiredClaims: ['exp', 'aud', 'sub'],
    });
    return true;
  } catch {
    return false;
  }
}

describe('random tokens', () => {
  it('are judged as by an independent implementation', async (t) => {
    const next = randomFrom(Number(process.env.SEED ?? 20_261_120));
    const below = (bound) => Math.floor(next() * bound);
    const random = { below, pick: (list) => list[below(list.length)] };
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tokens-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const worlds = ISSUERS.map((issuer, i) => {
      const keys = keysOf(`k${i}`);
      const jwks = { keys: keys.map(({ publicKey, kid }) => ({ ...publicKey.export({ format: 'jwk' }), kid })) };
      writeFileSync(join(folder, `keys-${i}.json`), JSON.stringify(jwks));
      return { issuer, keys, resolve: createLocalJWKSet(jwks) };
    });
    const probe = createServer();
    await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address();
    await new Promise((resolve) => probe.close(resolve));
    writeFileSync(join(folder, 'sluice.yaml'), `server: { http: "127.0.0.1:${port}", public_url: "https://data.example" }
auth:
  issuers:
${ISSUERS.map((issuer, i) => `    - { name: "i${i}", issuer: "${issuer}", audience: [ "${AUDIENCE}" ], jwks_file: "keys-${i}.json" }`).join('\n')}
`);
    const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, 'sluice.yaml')]);
    t.after(() => server.stop());
    const verdictOf = async (token) => {
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: '{}',
      });
      await response.text();
      assert.ok(response.status === 400 || response.status === 401, `status ${response.status}: ${token}`);
      return response.status === 400;  // Admitted; the body is no request.
    };
    let good = 0;
    for (let done = 0; done < TOKENS; done += 20) {
      const now = Math.floor(Date.now() / 1000);
      await Promise.all(Array.from({ length: 20 }, () => generate(random, worlds, now)).map(async (each) => {
        const wanted = await isGood(each, worlds);
        good += wanted ? 1 : 0;
        assert.equal(await verdictOf(each.token), wanted, `${each.token} is ${wanted ? 'good' : 'not good'}`);
      }));
    }
    assert.ok(good > TOKENS / 4 && good < TOKENS * 3 / 4, `${good} of ${TOKENS} are good: the generator is out of balance`);
  });
});
