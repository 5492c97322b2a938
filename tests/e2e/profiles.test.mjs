// Which tools a server offers: profiles, allowed and denied names, and what the instructions say of them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');
const LEAN = ['catalog', 'describe', 'plot', 'query'];
const FULL = ['advanced_query', 'aggregate', 'bulk_filter_multiple_datasets', 'describe_dataset', 'diagnose', 'distinct_values', 'estimate_query',
  'get_catalog', 'get_dataset_overall', 'get_schema', 'get_server_info', 'pattern_filter', 'query_data', 'query_next_page'];
const RESOURCES = ['list_resources', 'read_resource'];

function folderOf(t, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-profiles-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/flights.csv'), 'origin,delay\nSEA,10\nJFK,-5\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function clientOf(sdk) {
  return sdk === 'modern' ? modernClient({ capabilities: {} }) : legacyClient({ capabilities: {} });
}

// A client of a server over stdio.
async function over(t, args, sdk = 'modern') {
  const { client } = await connect(t, clientOf(sdk), { sdk, transport: 'stdio', program: 'SLUICE', args: ['serve', ...args] });
  return client;
}

async function configured(t, text, { files = {}, sdk = 'modern', args = [] } = {}) {
  const folder = folderOf(t, { 'sluice.yaml': text, ...files });
  return over(t, [join(folder, 'sluice.yaml'), ...args], sdk);
}

const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);
const sorted = (...lists) => lists.flat().sort();
const DATA = 'collections: [ { path: data } ]\n';

// The error of a call, whichever way the era reports it.
async function refusal(client, name, args = {}) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return `answered: ${JSON.stringify(result.content)}`;
  } catch (error) {
    return error.message;
  }
}

for (const sdk of ['modern', 'legacy']) {
  describe(`the profile, seen by a client of the ${sdk} era`, () => {
    it('selects the tools over datasets', async (t) => {
      for (const [profile, expected] of [['lean', LEAN], ['full', sorted(FULL, RESOURCES)], ['all', sorted(LEAN, FULL, RESOURCES)]]) {
        const client = await configured(t, `${DATA}tools: { profile: ${profile} }\n`, { sdk });
        assert.deepEqual(await names(client), expected, profile);
      }
    });

    it('selects what the instructions and the prompts say', async (t) => {
      const lean = await configured(t, `${DATA}tools: { profile: lean }\n`, { sdk });
      assert.match(lean.getInstructions(), /^catalog lists the tables\./);
      assert.doesNotMatch(lean.getInstructions(), /get_catalog/);
      assert.deepEqual((await lean.listPrompts()).prompts, []);
      const full = await configured(t, `${DATA}tools: { profile: full }\n`, { sdk });
      assert.match(full.getInstructions(), /get_catalog/);
      assert.doesNotMatch(full.getInstructions(), /Tables:/);
      assert.ok((await full.listPrompts()).prompts.length > 0);
    });

    it('lean names the tables to a client that connects at once', async (t) => {
      // A busy machine may take longer to read the folder than a server waits for it.
      await until('a server has read its folder in time', async () => {
        const client = await configured(t, `${DATA}tools: { profile: lean }\n`, { sdk });
        return /\nTables:\nflights \(2 rows\): origin, delay$/.test(client.getInstructions());
      });
    });
  });
}

describe('the profile', () => {
  it('of the command line overrides that of the configuration', async (t) => {
    const folder = folderOf(t, { 'sluice.yaml': `${DATA}tools: { profile: full }\n` });
    assert.deepEqual(await names(await over(t, [join(folder, 'sluice.yaml'), '--profile', 'lean'])), LEAN);
    assert.deepEqual(await names(await over(t, [join(folder, 'data'), '--profile', 'lean'])), LEAN);
    assert.deepEqual(await names(await over(t, [join(folder, 'data'), '--profile', 'full'])), sorted(FULL, RESOURCES));
    const wrong = spawnSync(SLUICE, ['serve', folder, '--profile', 'thin'], { encoding: 'utf8' });
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--profile/);
  });

  it('of a preset that was written for all tools is the full one', async (t) => {
    const client = await configured(t, 'collections: [ { preset: budget, path: data } ]\n');
    assert.ok((await names(client)).includes('get_catalog'));
    assert.ok(!(await names(client)).includes('catalog'));
  });

  it('lean offers resources and a diagnosis if there is another source than datasets', async (t) => {
    const client = await configured(t, `${DATA}files: [ { path: data } ]\ntools: { profile: lean }\n`);
    assert.deepEqual(await names(client), sorted(LEAN, RESOURCES, 'diagnose'));
    const database = await configured(t, 'databases: [ { name: shop, url: "sqlite:shop.db" } ]\ntools: { profile: lean }\n', { files: { 'shop.db': '' } });
    assert.deepEqual(await names(database), LEAN);
  });

  it('hides tools of the other one from calls', async (t) => {
    const lean = await configured(t, `${DATA}tools: { profile: lean }\n`);
    assert.match(await refusal(lean, 'get_catalog'), /Unknown tool: get_catalog/);
    const full = await configured(t, `${DATA}tools: { profile: full }\n`);
    assert.match(await refusal(full, 'query', { sql: 'SELECT 1' }), /Unknown tool: query/);
  });

  it('changes with the configuration, and the instructions with the datasets', async (t) => {
    const folder = folderOf(t, { 'sluice.yaml': `${DATA}tools: { profile: full }\n` });
    const config = join(folder, 'sluice.yaml');
    const server = await ServerProcess.listening(SLUICE, ['serve', config, '--http', '127.0.0.1:0']);
    t.after(() => server.stop());
    const fresh = async () => (await connect(t, clientOf('modern'), { sdk: 'modern', transport: 'http', server })).client;
    assert.ok((await names(await fresh())).includes('get_catalog'));
    writeFileSync(config, `${DATA}tools: { profile: lean }\n`);
    await until('the lean tools are offered', async () => (await names(await fresh())).join() === LEAN.join());
    await until('the table is named', async () => /\nflights \(2 rows\)/.test((await fresh()).getInstructions()));
    writeFileSync(join(folder, 'data/airports.csv'), 'iata,city\nSEA,Seattle\n');
    await until('the new table is named', async () => /\nairports \(1 row\): iata, city\nflights/.test((await fresh()).getInstructions()));
  });
});

describe('rules over all tools', () => {
  for (const sdk of ['modern', 'legacy']) {
    it(`make a denied tool one that does not exist, for a client of the ${sdk} era`, async (t) => {
      const client = await configured(t, `${DATA}tools: { profile: all, deny: [ query, advanced_query ] }\n`, { sdk });
      const listed = await names(client);
      assert.ok(!listed.includes('query') && !listed.includes('advanced_query') && listed.includes('query_data'));
      const denied = await refusal(client, 'query', { sql: 'SELECT 1' });
      const absent = await refusal(client, 'queryx', { sql: 'SELECT 1' });
      assert.match(denied, /Unknown tool: query/);
      // Neither the arguments nor the nearest name tell it from a tool that was never there.
      assert.equal(await refusal(client, 'query', { sql: 7, more: 1 }), denied);
      assert.doesNotMatch(absent, /Did you mean query\?/);
      assert.doesNotMatch(client.getInstructions(), /query runs/);
    });
  }

  it('hold for records, resources and the diagnosis', async (t) => {
    const folder = folderOf(t, { 'sluice.yaml': `${DATA}records: { path: records, writable: true }\ntools: { profile: full, deny: [ "*_resource*", diagnose ], read_only: true }\n` });
    mkdirSync(join(folder, 'records'));
    const listed = await names(await over(t, [join(folder, 'sluice.yaml')]));
    assert.ok(listed.includes('list_data_types') && listed.includes('query_data'));
    for (const gone of ['add_record', 'delete_records', 'create_data_type', 'list_resources', 'read_resource', 'diagnose'])
      assert.ok(!listed.includes(gone), gone);
    const client = await over(t, [join(folder, 'sluice.yaml')]);
    assert.match(await refusal(client, 'create_data_type', { data_type: 'x', schema: { a: 'string' } }), /Unknown tool/);
  });

  it('allow a few tools and nothing else', async (t) => {
    const client = await configured(t, `${DATA}tools: { profile: all, allow: [ "get_*", query ], deny: get_server_info }\n`);
    assert.deepEqual(await names(client), ['get_catalog', 'get_dataset_overall', 'get_schema', 'query']);
  });

  it('that match no tool are a warning of the check', (t) => {
    const folder = folderOf(t, { 'sluice.yaml': `${DATA}tools: { profile: lean, allow: [ "*" ], deny: [ querry, "fs_*" ] }\n` });
    const report = execFileSync(SLUICE, ['check', join(folder, 'sluice.yaml')], { encoding: 'utf8' });
    assert.match(report, /^WARN +tools\.deny: querry matches no tool; did you mean query\?$/m);
    assert.match(report, /^WARN +tools\.deny: fs_\* matches no tool$/m);
    assert.doesNotMatch(report, /tools\.allow/);
  });
});
