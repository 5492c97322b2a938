// Tools that the operator makes of SQL in the configuration.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const AIRPORTS = 'iata,state,opened,runways,open\nSEA,WA,1949-07-09,3,true\nGEG,WA,1925-01-01,2,true\nLAX,CA,1930-10-01,4,true\nOLD,CA,1920-02-29,1,false\n';
const FLIGHTS = 'origin,delay\nSEA,10\nSEA,20\nLAX,-5\nGEG,1\n';

const BY_STATE = `
    - name: airports_of_state
      description: Airports of a state
      parameters:
        state: { type: string, description: "Postal code, such as CA", values_of: airports.state }
        runways: { type: integer, default: 0 }
      sql: SELECT iata, runways FROM airports WHERE state = $state AND runways >= $runways ORDER BY iata
      example: { state: CA }
`;

function folderOf(t, define, { files = {}, more = '' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-defined-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ 'airports.csv': AIRPORTS, 'flights.csv': FLIGHTS, ...files })) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'sluice.yaml'), `collections: [ { path: "." } ]\n${more}tools:\n  profile: lean\n  define:${define}`);
  return folder;
}

async function served(t, define, { sdk = 'modern', ...options } = {}) {
  const folder = folderOf(t, define, options);
  const server = await ServerProcess.listening(SLUICE, ['serve', join(folder, 'sluice.yaml'), '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  const make = sdk === 'modern' ? modernClient : legacyClient;
  const fresh = async () => (await connect(t, make({ capabilities: {} }), { sdk, transport: 'http', server })).client;
  // Asked by a new client each time: clients keep a list for as long as the server says that they may.
  const schema = async (name) => (await (await fresh()).listTools()).tools.find((tool) => tool.name === name).inputSchema;
  return { client: await fresh(), folder, schema };
}

async function text(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, result.content[0].text);
  assert.equal(result.structuredContent, undefined);
  return result.content[0].text;
}

async function refusal(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, `answered: ${result.content[0].text}`);
  return JSON.parse(result.content[0].text);
}

function check(folder) {
  const { status, stdout } = spawnSync(SLUICE, ['check', join(folder, 'sluice.yaml')], { encoding: 'utf8' });
  return { status, stdout };
}

for (const sdk of ['modern', 'legacy']) {
  describe(`a defined tool, used by a client of the ${sdk} era`, () => {
    it('has a strict schema with the values of the column', async (t) => {
      const { client, schema } = await served(t, BY_STATE, { sdk });
      const tool = (await client.listTools()).tools.find((one) => one.name === 'airports_of_state');
      assert.equal(tool.description, 'Airports of a state');
      const found = await until('the values are known', async () => {
        const now = await schema('airports_of_state');
        return now.properties.state.enum && now;
      });
      assert.deepEqual(found, {
        type: 'object',
        properties: {
          state: { type: 'string', description: 'Postal code, such as CA', enum: ['CA', 'WA'] },
          runways: { type: 'integer', default: 0 },
        },
        additionalProperties: false,
        required: ['state'],
      });
      assert.equal(tool.annotations.readOnlyHint, true);
      assert.equal(tool.outputSchema, undefined);
    });

    it('answers as query does', async (t) => {
      const { client } = await served(t, BY_STATE, { sdk });
      assert.equal(await text(client, 'airports_of_state', { state: 'CA' }), 'iata,runways\nLAX,4\nOLD,1\n');
      assert.equal(await text(client, 'airports_of_state', { state: 'WA', runways: 3 }), 'iata,runways\nSEA,3\n');
      const result = await client.callTool({ name: 'airports_of_state', arguments: { state: 'WA' } });
      assert.equal(result._meta['sluice/result'].rows, 2);
    });
  });
}

describe('defined tools', () => {
  const TYPED = `
    - name: typed
      description: Every type
      parameters:
        day: { type: date, default: 1930-01-01 }
        open: { type: boolean, default: true }
        least: { type: number, default: 0.5 }
        iata: { type: string, default: null }
      sql: SELECT iata FROM airports WHERE opened >= $day AND open = $open AND runways > $least AND ($iata IS NULL OR iata = $iata) ORDER BY iata
`;

  it('take dates, numbers, booleans, texts and nothing', async (t) => {
    const { client } = await served(t, TYPED);
    assert.equal(await text(client, 'typed'), 'iata\nLAX\nSEA\n');
    assert.equal(await text(client, 'typed', { day: '1940-01-01' }), 'iata\nSEA\n');
    assert.equal(await text(client, 'typed', { day: '1900-01-01', open: false }), 'iata\nOLD\n');
    assert.equal(await text(client, 'typed', { least: 3.5 }), 'iata\nLAX\n');
    assert.equal(await text(client, 'typed', { iata: 'SEA' }), 'iata\nSEA\n');
  });

  it('refuse arguments that are unknown, missing or of another type', async (t) => {
    const { client } = await served(t, BY_STATE + TYPED);
    for (const [name, args] of [['airports_of_state', {}], ['airports_of_state', { state: 5 }], ['airports_of_state', { state: 'CA', sql: 'SELECT 1' }],
      ['airports_of_state', { state: 'CA', runways: '1' }], ['airports_of_state', { state: 'CA', runways: 1.5 }], ['airports_of_state', { state: ['CA'] }],
      ['airports_of_state', { state: 'CA', runways: 1e30 }], ['airports_of_state', { state: null }], ['typed', { day: '1999-02-30' }],
      ['typed', { day: 'yesterday' }], ['typed', { open: 'true' }], ['typed', { least: '1' }], ['typed', { iata: 'x'.repeat(5_000) }], ['typed', { iata: 'a\u0000b' }]]) {
      assert.equal((await refusal(client, name, args)).code, 'invalid_arguments', `${name} ${JSON.stringify(args).slice(0, 80)}`);
    }
  });

  it('never read a value as SQL', async (t) => {
    const { client } = await served(t, TYPED);
    for (const value of ["' OR '1'='1", "SEA'; DROP TABLE airports; --", "') UNION SELECT 'x' --", '$day', '$$x$$', '" OR 1=1 --', "\\' OR true --", "'".repeat(1_000)])
      assert.match(await text(client, 'typed', { iata: value }), /^# 0 rows[^\n]*\niata\n$/, value);
    assert.equal(await text(client, 'typed'), 'iata\nLAX\nSEA\n');
  });

  it('keep what does not fit as a table of the session', async (t) => {
    const big = `id,kind\n${Array.from({ length: 30_000 }, (_, i) => `${i},k${i % 2}`).join('\n')}\n`;
    const { client } = await served(t, `
    - { name: of_kind, description: Ids of a kind, parameters: { kind: { type: string } }, sql: "SELECT id FROM big WHERE kind = $kind ORDER BY id" }
`, { files: { 'big.csv': big } });
    const shown = await text(client, 'of_kind', { kind: 'k1' });
    assert.match(shown, /^# 10 of 15,000 rows shown; all are in table r\d{6} \(/);
    const [table] = shown.match(/r\d{6}/);
    assert.equal(await text(client, 'query', { sql: `SELECT count(*) AS n, max(id) AS top FROM ${table}` }), 'n,top\n15000,29999\n');
  });

  it('run a chain of statements and answer the last', async (t) => {
    const { client } = await served(t, `
    - name: delays_of_state
      description: Delays by airport
      parameters: { state: { type: string } }
      sql:
        - { name: chosen, sql: "SELECT iata FROM airports WHERE state = $state" }
        - { name: delays, sql: "SELECT origin, sum(delay) AS delay FROM flights JOIN Chosen ON origin = iata GROUP BY origin" }
        - { sql: "SELECT * FROM delays UNION ALL SELECT $state, sum(delay) FROM delays ORDER BY delay, origin" }
`);
    assert.equal(await text(client, 'delays_of_state', { state: 'WA' }), 'origin,delay\nGEG,1\nSEA,30\nWA,31\n');
    // What its steps gave is nobody else's table, and takes no name.
    assert.equal((await refusal(client, 'query', { sql: 'SELECT * FROM chosen' })).code, 'dataset_not_found');
    assert.equal((await refusal(client, 'query', { sql: 'SELECT * FROM r123456' })).code, 'unknown_handle');
  });

  it('follow the column whose values they take', async (t) => {
    const { client, folder, schema } = await served(t, BY_STATE);
    const values = async () => (await schema('airports_of_state')).properties.state.enum?.join();
    await until('two states are known', async () => (await values()) === 'CA,WA');
    assert.equal((await refusal(client, 'airports_of_state', { state: 'OR' })).code, 'invalid_arguments');
    writeFileSync(join(folder, 'airports.csv'), `${AIRPORTS}PDX,OR,1940-10-13,3,true\n`);
    await until('the third state is known', async () => (await values()) === 'CA,OR,WA');
    assert.equal(await text(client, 'airports_of_state', { state: 'OR' }), 'iata,runways\nPDX,3\n');
  });

  it('list no more than fifty values', async (t) => {
    const codes = `code\n${Array.from({ length: 51 }, (_, i) => `c${i}`).join('\n')}\n`;
    const { client, schema } = await served(t, `
    - { name: one_code, description: One code, parameters: { code: { type: string, values_of: codes.code } }, sql: SELECT $code AS code }
    - { name: some_code, description: One code, parameters: { code: { type: string, values_of: few.code } }, sql: SELECT $code AS code }
`, { files: { 'codes.csv': codes, 'few.csv': 'code\nx\n' } });
    await until('the few values are known', async () => (await schema('some_code')).properties.code.enum);
    assert.equal((await schema('one_code')).properties.code.enum, undefined);
    assert.equal(await text(client, 'one_code', { code: 'other' }), 'code\nother\n');
  });

  it('say why an answer is empty if the operator has published the values', async (t) => {
    const codes = `code,kind\n${Array.from({ length: 51 }, (_, i) => `c${i},plain`).join('\n')}\n`;
    const { client } = await served(t, `
    - { name: of_code, description: A code, parameters: { code: { type: string, values_of: codes.code } }, sql: SELECT kind FROM codes WHERE code = $code }
    - { name: of_owner, description: Of an owner, parameters: { owner: { type: string } }, sql: "SELECT amount FROM accounts WHERE owner = $owner AND kind = 'gold'" }
    - { name: elsewhere, description: Another table, parameters: { code: { type: string, values_of: codes.code } }, sql: SELECT pin FROM pins WHERE code = $code }
`, { files: { 'codes.csv': codes, 'accounts.csv': 'owner,kind,amount\nann,silver,1\n', 'pins.csv': 'code,pin\nhidden,7\n' } });
    assert.match(await text(client, 'of_code', { code: 'c999' }), /^# 0 rows; code has the values 'c0', 'c1', 'c10', .* and no 'c999'\nkind\n$/);
    assert.equal(await text(client, 'of_code', { code: 'c7' }), 'kind\nplain\n');
    assert.equal(await text(client, 'of_owner', { owner: 'bob' }), '# 0 rows\namount\n');
    assert.equal(await text(client, 'elsewhere', { code: 'c1' }), '# 0 rows\npin\n');
    assert.match(await text(client, 'query', { sql: "SELECT amount FROM accounts WHERE owner = 'bob'" }), /^# 0 rows; owner has the values 'ann' and no 'bob'\n/);
  });

  it('are subject to the rules over all tools', async (t) => {
    const { client } = await served(t, `${BY_STATE}  deny: [ query, "airports_*" ]\n`);
    assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['catalog', 'describe', 'plot']);
    await assert.rejects(() => client.callTool({ name: 'airports_of_state', arguments: { state: 'CA' } }), /Unknown tool/);
  });

  it('work where SQL of callers is denied', async (t) => {
    const { client } = await served(t, `${BY_STATE}  deny: [ query ]\n`);
    assert.equal(await text(client, 'airports_of_state', { state: 'WA' }), 'iata,runways\nGEG,2\nSEA,3\n');
  });
});

describe('sluice check', () => {
  it('runs defined tools with their examples', (t) => {
    const good = check(folderOf(t, BY_STATE));
    assert.equal(good.status, 0, good.stdout);
    assert.match(good.stdout, /^ok +tool airports_of_state: works with its example: 2 rows$/m);
  });

  for (const [what, define, finding] of [
    ['an unknown column', '\n    - { name: a, description: A, sql: SELECT nothing FROM airports }\n', /^FAILED tool a: unknown column: nothing/m],
    ['an unknown table', '\n    - { name: a, description: A, sql: SELECT * FROM airportz }\n', /^FAILED tool a: no table is called airportz \(line 1, column 15\)\. Did you mean "airports"\?/m],
    ['an example outside of the values', BY_STATE.replace('{ state: CA }', '{ state: XX }'), /^FAILED tool airports_of_state: example\.state/m],
    ['a name that is taken', '\n    - { name: query, description: A, sql: SELECT 1 AS a }\n', /^FAILED tools: tool query is offered twice, by datasets and by tools\.define/m],
    ['SQL that is not a SELECT', '\n    - { name: a, description: A, sql: DROP TABLE airports }\n', /^FAILED tools: .*sluice\.yaml:5: tools\.define\[0\]\.sql: .*other than SELECT/m],
    ['a parameter as a table', '\n    - { name: a, description: A, parameters: { t: { type: string } }, sql: SELECT * FROM $t }\n', /^FAILED tools: .*tools\.define\[0\]\.sql: .*syntax error/m],
    ['a placeholder that is no parameter', '\n    - { name: a, description: A, sql: SELECT $x }\n', /^FAILED tools: .*tools\.define\[0\]\.sql: .*the character \$/m],
  ]) {
    it(`names ${what}`, (t) => {
      const { status, stdout } = check(folderOf(t, define));
      assert.equal(status, 1, stdout);
      assert.match(stdout, finding);
    });
  }

  it('warns of a tool that cannot be tried', (t) => {
    const { status, stdout } = check(folderOf(t, BY_STATE.replace('      example: { state: CA }\n', '')));
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^WARN +tool airports_of_state: has no example/m);
  });
});

describe('sluice serve', () => {
  it('refuses defined tools that cannot work, with their line', (t) => {
    for (const [define, reason] of [
      ['\n    - { name: a, description: A, sql: DELETE FROM airports }\n', /sluice\.yaml:5: tools\.define\[0\]\.sql: .*other than SELECT/],
      ['\n    - { name: query, description: A, sql: SELECT 1 AS a }\n', /tool query is offered twice/],
      ['\n    - { name: Bad-Name, description: A, sql: SELECT 1 AS a }\n', /sluice\.yaml:5: tools\.define\[0\]\.name: must be at most 64 of a-z/],
      [Array.from({ length: 1_000 }, (_, i) => `\n    - { name: t${i}, description: A, sql: SELECT 1 AS a }`).join(''), /tools\.define: more than 200 tools: 1000/],
    ]) {
      const { status, stderr } = spawnSync(SLUICE, ['serve', join(folderOf(t, define), 'sluice.yaml')], { encoding: 'utf8', input: '' });
      assert.equal(status, 1, stderr);
      assert.match(stderr, reason);
    }
  });
});
