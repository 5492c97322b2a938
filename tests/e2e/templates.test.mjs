// `sluice serve` with databases, templates of the operator's own and the tools that mirror resources, used by the official clients; and what check
// says of what is configured wrongly.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';

import { connect, legacyClient, modernClient } from './connection.mjs';
import { modernRequest } from './raw_client.mjs';
import { ServerProcess, binary } from './server_process.mjs';
import { until } from './waiting.mjs';

const SLUICE = binary('SLUICE');

function shopFor(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-templates-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const shop = new DatabaseSync(join(folder, 'shop.db'));
  shop.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user INTEGER, total REAL);
    INSERT INTO users VALUES (1, 'Ada', x'00ff'), (2, 'O''Brien; DROP TABLE users', NULL), (3, '$id', NULL), (4, '../x', NULL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO orders SELECT i, 1 + i % 2, i / 4.0 FROM n`);
  shop.close();
  mkdirSync(join(folder, 'served'));
  writeFileSync(join(folder, 'secret.md'), 'secret outside');
  writeFileSync(join(folder, 'served/ada.md'), 'about Ada');
  writeFileSync(join(folder, 'served/picture.png'), Buffer.from('89504e470d0a1a0a00ff', 'hex'));
  writeFileSync(join(folder, 'served/long.txt'), 'word '.repeat(15_000));
  writeFileSync(join(folder, 'served/quotes.txt'), '"'.repeat(30_000));
  return folder;
}

const TEMPLATES = `
  - uri: "user://{user_id}/profile"
    name: profile
    description: One user
    query: { database: shop, sql: "SELECT id, name FROM users WHERE id = $user_id -- not $this", single: true }
  - uri: "user://named/{name}"
    query: { database: shop, sql: "SELECT id FROM users WHERE name = $name AND '$name' <> $name", single: true }
  - uri: "user://{user_id}/orders"
    query: { database: shop, sql: "SELECT id, total FROM orders WHERE user = $user_id ORDER BY id LIMIT 3" }
  - uri: "user://{user_id}/everything"
    query: { database: shop, sql: "SELECT * FROM orders WHERE user = $user_id" }
  - uri: "user://{name}/about"
    file: "{name}.md"
  - uri: "any://{+path}"
    file: "{+path}"
  - uri: "first://{table}"
    resource: "db://{table}/data?limit=1"
  - { uri: "users://all", description: Everybody, query: { database: shop, sql: "SELECT name FROM users ORDER BY id" } }
  - { uri: "user://same/{total}", query: { database: shop, sql: "SELECT id FROM orders WHERE id < $total", single: true } }
`;

function configOf(folder, { templates = TEMPLATES, more = '' } = {}) {
  const path = join(folder, 'sluice.yaml');
  writeFileSync(path, `databases: [ { name: shop, url: "sqlite:shop.db" } ]\nfiles: [ { name: served, path: served } ]\n${more}\ntemplates:${templates}`);
  return path;
}

async function serve(t, ...args) {
  const server = await ServerProcess.listening(SLUICE, ['serve', ...args, '--profile', 'full', '--http', '127.0.0.1:0']);
  t.after(() => server.stop());
  return server;
}

for (const sdk of ['modern', 'legacy']) {
  describe(`templates read by a client of the ${sdk} era`, () => {
    const open = async (t, options) => {
      const server = await serve(t, configOf(shopFor(t), options));
      const link = await connect(t, sdk === 'modern' ? modernClient() : legacyClient(), { sdk, transport: 'http', server });
      const read = async (uri) => (await link.client.readResource({ uri })).contents[0];
      const tool = async (name, args = {}) => {
        const result = await link.client.callTool({ name, arguments: args });
        return JSON.parse(result.content[0].text);
      };
      return { ...link, read, tool };
    };

    it('answer from a query, a file and another resource', async (t) => {
      const { client, read } = await open(t);
      const listed = (await client.listResourceTemplates()).resourceTemplates;
      assert.equal(listed.find((one) => one.uriTemplate === 'user://{user_id}/profile').description, 'One user');
      assert.deepEqual(JSON.parse((await read('user://1/profile')).text), { id: 1, name: 'Ada' });
      assert.equal((await read('user://1/profile')).mimeType, 'application/json');
      assert.deepEqual(JSON.parse((await read('user://2/orders')).text), [{ id: 1, total: 0.25 }, { id: 3, total: 0.75 }, { id: 5, total: 1.25 }]);
      const about = await read('user://ada/about');
      assert.deepEqual([about.uri, about.text], ['user://ada/about', 'about Ada']);
      assert.deepEqual(JSON.parse((await read('first://orders')).text), [{ id: 1, user: 2, total: 0.25 }]);
    });

    it('bind what hostile URIs carry, and never paste it', async (t) => {
      const { read } = await open(t);
      const named = async (name) => JSON.parse((await read(`user://named/${encodeURIComponent(name)}`)).text).id;
      assert.equal(await named("O'Brien; DROP TABLE users"), 2);
      assert.equal(await named('$id'), 3);
      assert.equal(await named('../x'), 4);
      for (const uri of [
        'user://1%20OR%201%3D1/profile', 'user://1;DROP%20TABLE%20users/profile', "user://'/profile", 'user://%00/profile', 'user://1%00/profile',
        'user://99/profile', `user://${'9'.repeat(2_000)}/profile`, 'user://%241/profile', 'user://$user_id/profile', 'user://named/%25',
        'user://..%2Fsecret/about', 'user://..%2F..%2Fetc%2Fpasswd%00/about', 'user://../about', 'any://../secret.md', 'any://..%2Fsecret.md',
        'any:///etc/passwd', 'any://%2e%2e/secret.md', 'first://orders%2Fschema', 'first://orders%3Flimit=5', 'first://users%22', 'first://..',
      ]) await assert.rejects(read(uri), /Resource not found|not a URI|Invalid/i, uri);
      assert.deepEqual(JSON.parse((await read('user://1/profile')).text), { id: 1, name: 'Ada' });
      // More rows than a template may give are no answer cut short in silence.
      await assert.rejects(read('user://1/everything'), /rows of a template/);
    });

    it('are mirrored by two tools, with their caps and pages', async (t) => {
      const { tool, client } = await open(t);
      const names = (await client.listTools()).tools.map((one) => one.name);
      assert.ok(names.includes('list_resources') && names.includes('read_resource'));
      const seen = [];
      let cursor;
      let pages = 0;
      do {
        const page = await tool('list_resources', { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.resources.map((one) => one.uri));
        cursor = page.next_cursor;
        assert.ok(++pages < 20 && page.resources.length <= 2);
      } while (cursor);
      assert.equal(new Set(seen).size, seen.length);
      for (const uri of ['db://orders/data', 'db://orders/schema', 'db://users/data', 'file:///ada.md', 'file:///picture.png']) assert.ok(seen.includes(uri), uri);
      assert.deepEqual((await tool('list_resources', { prefix: 'file:///a' })).resources.map((one) => one.uri), ['file:///ada.md']);
      assert.equal((await tool('list_resources', { cursor: '!!' })).code, 'invalid_cursor');
      assert.deepEqual(JSON.parse((await tool('read_resource', { uri: 'user://1/profile' })).contents[0].text), { id: 1, name: 'Ada' });
      assert.equal((await tool('read_resource', { uri: 'file:///picture.png' })).contents[0].blob, Buffer.from('89504e470d0a1a0a00ff', 'hex').toString('base64'));
      const long = (await tool('read_resource', { uri: 'file:///long.txt' })).contents[0];
      assert.ok(long.truncated && long.text.length <= 32_000 && long['sluice/size'] === 75_000, JSON.stringify({ ...long, text: long.text.length }));
      // What takes more bytes as JSON is cut earlier.
      const quoted = await client.callTool({ name: 'read_resource', arguments: { uri: 'file:///quotes.txt' } });
      assert.ok(quoted.content[0].text.length <= 33_000 && JSON.parse(quoted.content[0].text).contents[0].truncated, quoted.content[0].text.length);
      for (const uri of ['file:///../secret.md', 'nothing://x', 'not a uri', 'db://nothing/data'])
        assert.equal((await tool('read_resource', { uri })).code, 'resource_not_found', uri);
    });

    it('without a variable are resources, and say when `single` finds several rows', async (t) => {
      const { client, read } = await open(t);
      const listed = (await client.listResources()).resources;
      assert.equal(listed.find((one) => one.uri === 'users://all').description, 'Everybody');
      assert.ok(!(await client.listResourceTemplates()).resourceTemplates.some((one) => one.uriTemplate === 'users://all'));
      assert.equal(JSON.parse((await read('users://all')).text)[0].name, 'Ada');
      await assert.rejects(read('user://same/4'), (error) => error.code === -32603 && error.data.code === 'template_not_single' && /3 rows/.test(error.message));
      assert.deepEqual(JSON.parse((await read('user://same/2')).text), { id: 1 });
    });

    it('can do without the tools', async (t) => {
      const { client, read } = await open(t, { more: 'resource_tools: false' });
      const names = (await client.listTools()).tools.map((one) => one.name);
      assert.ok(!names.includes('list_resources') && !names.includes('read_resource') && names.includes('query_data'));
      assert.equal((await read('user://ada/about')).text, 'about Ada');
    });
  });
}

it('subscribers of a template hear of changes where it leads', async (t) => {
  const folder = shopFor(t);
  const server = await serve(t, configOf(folder));
  const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server });
  const heard = [];
  client.fallbackNotificationHandler = async ({ method, params }) => { if (method === 'notifications/resources/updated') heard.push(params.uri); };
  await client.subscribeResource({ uri: 'user://ada/about' });
  await client.subscribeResource({ uri: 'user://1/profile' });
  writeFileSync(join(folder, 'served/ada.md'), 'more about Ada');
  await until('the change of the file is told', () => heard.includes('user://ada/about'));
  assert.ok(!heard.includes('user://1/profile'));
  const shop = new DatabaseSync(join(folder, 'shop.db'));
  shop.exec("UPDATE users SET name = 'Ada Lovelace' WHERE id = 1");
  shop.close();
  await until('the change of the database is told', () => heard.includes('user://1/profile'));
  await client.unsubscribeResource({ uri: 'user://ada/about' });
  heard.length = 0;
  writeFileSync(join(folder, 'served/ada.md'), 'nobody hears');
  const again = new DatabaseSync(join(folder, 'shop.db'));
  again.exec("UPDATE users SET name = 'Ada' WHERE id = 1");
  again.close();
  await until('the next change of the database is told', () => heard.includes('user://1/profile'));
  assert.ok(!heard.includes('user://ada/about'));
});

it('subscriptions to a template and to where it leads end apart from each other', async (t) => {
  const folder = shopFor(t);
  const server = await serve(t, configOf(folder));
  const { client } = await connect(t, legacyClient(), { sdk: 'legacy', transport: 'http', server });
  const heard = [];
  client.fallbackNotificationHandler = async ({ method, params }) => { if (method === 'notifications/resources/updated') heard.push(params.uri); };
  for (const uri of ['file:///ada.md', 'user://ada/about', 'any://ada.md']) await client.subscribeResource({ uri });
  await client.unsubscribeResource({ uri: 'user://ada/about' });
  writeFileSync(join(folder, 'served/ada.md'), 'more about Ada');
  await until('the others hear of the change', () => heard.includes('file:///ada.md') && heard.includes('any://ada.md'));
  await client.unsubscribeResource({ uri: 'file:///ada.md' });
  heard.length = 0;
  writeFileSync(join(folder, 'served/ada.md'), 'still more');
  await until('the last one hears of the change', () => heard.includes('any://ada.md'));
  assert.deepEqual(new Set(heard), new Set(['any://ada.md']));
});

it('variables of a template are completed by the owner of where it leads', async (t) => {
  const folder = shopFor(t);
  mkdirSync(join(folder, 'served/notes'));
  for (const name of ['alpha', 'al pha', 'beta']) writeFileSync(join(folder, `served/notes/${name}.md`), name);
  const more = 'apis: [ { name: v1, base: "http://127.0.0.1:9", allow_private: true, endpoints: [ { name: user, path: "/users/{id}", parameters: { id: { values: [ada, adele, bob] } } } ] } ]';
  const templates = `
  - { uri: "note://{name}", file: "notes/{name}.md" }
  - { uri: "all://{+path}", file: "{+path}" }
  - { uri: "in://{folder}/{name}", file: "{folder}/{name}" }
  - { uri: "person://{id}", api: "v1/user/{id}" }
  - { uri: "row://{table}", resource: "db://{table}/data?limit=1" }
  - { uri: "user://{id}", query: { database: shop, sql: "SELECT * FROM users WHERE id = $id" } }
`;
  const server = await serve(t, configOf(folder, { more, templates }));
  const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
  const complete = async (uri, name, value, known = {}) =>
    (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value }, context: { arguments: known } })).completion.values;
  assert.deepEqual(await complete('note://{name}', 'name', 'al'), ['al pha', 'alpha']);
  assert.deepEqual(await complete('note://{name}', 'name', ''), ['al pha', 'alpha', 'beta']);
  assert.equal((await client.readResource({ uri: 'note://al%20pha' })).contents[0].text, 'al pha');
  assert.deepEqual(await complete('all://{+path}', 'path', 'no'), ['notes/']);
  assert.deepEqual(await complete('in://{folder}/{name}', 'name', 'b', { folder: 'notes' }), ['beta.md']);
  assert.deepEqual(await complete('person://{id}', 'id', 'ad'), ['ada', 'adele']);
  assert.deepEqual(await complete('user://{id}', 'id', ''), []);
});

it('a template leads to an API, its values encoded', async (t) => {
  const asked = [];
  const api = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(request.url === '/users/a%2Fb' ? 200 : 404).end('found');
  });
  await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve));
  t.after(() => { api.closeAllConnections(); api.close(); });
  const folder = shopFor(t);
  const more = `apis: [ { name: v1, base: "http://127.0.0.1:${api.address().port}", allow_private: true, endpoints: [ { name: user, path: "/users/{id}" } ] } ]`;
  const server = await serve(t, configOf(folder, { more, templates: '\n  - { uri: "person://{id}", api: "v1/user/{id}" }\n' }));
  const { client } = await connect(t, modernClient(), { sdk: 'modern', transport: 'http', server });
  assert.equal((await client.readResource({ uri: 'person://a%2Fb' })).contents[0].text, 'found');
  await assert.rejects(client.readResource({ uri: 'person://..%2Fadmin' }));
  assert.deepEqual(asked.filter((url) => !url.startsWith('/users/')), []);
});

it('check refuses what is configured wrongly, with its line', (t) => {
  const folder = shopFor(t);
  const finding = (text) => {
    const path = join(folder, 'wrong.yaml');
    writeFileSync(path, text);
    const { status, stdout } = spawnSync(SLUICE, ['check', path], { encoding: 'utf8', timeout: 20_000 });
    assert.equal(status, 1, stdout);
    assert.doesNotMatch(stdout, /s3cret/);
    return stdout;
  };
  const template = (text) => finding(`databases: [ { name: shop, url: "sqlite:shop.db" } ]\nfiles: [ { path: served } ]\ntemplates:\n  - ${text}\n`);
  const sql = (text) => template(`{ uri: "x://{id}", query: { database: shop, sql: "${text}" } }`);
  assert.match(template('{ uri: "x://{id}" }'), /wrong\.yaml:4: .*exactly one of query, file, api and resource/);
  assert.match(template('{ uri: "x://{id", file: a }'), /wrong\.yaml:4: /);
  assert.match(template('{ uri: "x://{id}", file: "{other}" }'), /wrong\.yaml:4: .*no variable other/);
  assert.match(template('{ uri: "x://{id}", file: a, resource: "git://b" }'), /exactly one/);
  assert.match(template('{ uri: "x://{id}", api: "a/{id}" }'), /wrong\.yaml:4: .*no section apis/);
  assert.match(template('{ uri: "x://{id}", resource: "{id}" }'), /must begin with a scheme/);
  assert.match(template('{ uri: "{id}", file: a }'), /wrong\.yaml:4: .*scheme of your own/);
  assert.match(template('{ uri: "file:///{id}", file: a }'), /file:\/\/ is not a scheme of your own/);
  assert.match(template('{ uri: "docs://{id}", file: a }'), /docs:\/\/ is not a scheme of your own/);
  assert.match(template('{ uri: "parquet://{id}", file: a }'), /parquet:\/\/ is not a scheme of your own/);
  assert.match(finding('collections: [ { name: sales, scheme: sales, path: served } ]\nfiles: [ { path: served } ]\ntemplates: [ { uri: "sales://{id}", file: a } ]'),
    /sales:\/\/ is the scheme of the collection sales/);
  assert.match(sql('SELECT nothing FROM nowhere'), /FAILED template x:\/\/\{id\}: /);
  assert.match(template('{ uri: "x://{id}", query: { database: other, sql: "SELECT 1" } }'), /wrong\.yaml:4: .*no database other/);
  assert.match(template('{ uri: "x://{id}", query: { database: shop, sql: "SELECT 1", max_rows: 5000 } }'), /must be 1 to 1000/);
  assert.match(template('{ uri: "x://{id}", query: { database: shop, sql: "SELECT 1" }, nmae: x }'), /wrong\.yaml:4: .*did you mean name/);
  assert.match(sql('SELECT $nothing'), /wrong\.yaml:4: .*no variable nothing/);
  assert.match(template('{ uri: "x://{id}", file: a }\n  - { uri: "x://{id}", file: b }'), /wrong\.yaml:5: .*another template/);
  assert.match(finding('databases: [ { name: a, url: "mysql://u:s3cret@h/d" } ]'), /wrong\.yaml:1: .*must begin with postgres:\/\/, sqlite: or duckdb:/);
  assert.match(finding('databases: [ { name: a/b, url: "sqlite:x" } ]'), /name without a slash/);
  assert.match(finding('databases:\n  - { name: a, url: "sqlite:x" }\n  - { name: a, url: "sqlite:y" }'), /wrong\.yaml:3: .*another database is called a/);
  assert.match(finding('databases: [ { name: a, url: "postgres://u:s3cret@127.0.0.1:1/d" } ]'), /FAILED database a: .*does not answer/);
  assert.match(finding('databases: [ { name: a, url: "sqlite:missing.db" } ]'), /FAILED database a: /);
  assert.match(finding('databases: [ { name: a, url: "postgres://u:s3cret@127.0.0.1:1/d", roles: maybe } ]'), /refuse, warn or allow/);
});

it('a hundred thousand mutated URIs find something or nothing, and change nothing', async (t) => {
  const folder = shopFor(t);
  const server = ServerProcess.stdio(SLUICE, 'serve', configOf(folder), '--profile', 'full');
  t.after(() => server.stop());
  const answers = createInterface({ input: server.child.stdout })[Symbol.asyncIterator]();
  const seeds = ['user://1/profile', 'user://named/Ada', 'user://2/orders', 'user://ada/about', 'any://ada.md', 'first://orders', 'db://orders/data?limit=2'];
  const pieces = ["'", '%27', '%00', '..', '%2F', '..%2F', '$1', '$user_id', ';', '--', '/*', '%', '?', '&', '{', '"', '\\', '%FF', '\u{1F642}', 'a'.repeat(500)];
  let state = 7;
  const any = (count) => (state = (state * 48271) % 2147483647) % count;
  const mutated = () => {
    let uri = seeds[any(seeds.length)];
    for (let changes = 1 + any(2); changes > 0; --changes) {
      const at = 3 + any(uri.length - 3);
      uri = any(2) ? uri.slice(0, at) + pieces[any(pieces.length)] + uri.slice(at) : uri.slice(0, at) + uri.slice(at + 1 + any(2));
    }
    return uri.toWellFormed();
  };
  let found = 0;
  for (let first = 0; first < 100_000; first += 100) {
    const uris = Array.from({ length: 100 }, mutated);
    const requests = uris.map((uri, i) => JSON.stringify(modernRequest(first + i, 'resources/read', { uri })));
    server.child.stdin.write(`${requests.join('\n')}\n`);
    for (let i = 0; i < uris.length; ++i) {
      const { value: line } = await answers.next();
      const answer = JSON.parse(line);
      assert.ok(!line.includes('secret outside') && !line.includes(folder), line);
      if (answer.error) assert.equal(answer.error.code, -32602, `${uris[answer.id - first]}: ${answer.error.message}`);
      else ++found;
    }
  }
  assert.ok(found > 5, `${found}`);
  const shop = new DatabaseSync(join(folder, 'shop.db'), { readOnly: true });
  assert.deepEqual([shop.prepare('SELECT count(*) AS n FROM users').get().n, shop.prepare('SELECT count(*) AS n FROM orders').get().n], [4, 400]);
  shop.close();
});
