// The REST interface: rows in every format, its own OpenAPI document, and the view of a spreadsheet.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { NOTES, PUBLIC, ada, curl, folderOf, rowsCsv, serve } from './exports.mjs';
import { npmPackage } from './npm_package.mjs';

const ROWS = 3_000;

async function served(t, { rest = '', rows = ROWS, ...options } = {}) {
  const folder = folderOf(t, { 'sales.csv': rowsCsv(rows), 'small.csv': 'a,b\n1,x\n2,\n' });
  const server = await serve(t, folder, { lines: `rest: { ${rest} }`, ...options });
  const at = (path) => `${server.url.origin}/api/v1/${path}`;
  const get = (path, headers = {}) => fetch(at(path), { headers: { ...ada, ...headers } });
  const post = (body, headers = {}) => fetch(at('query'), {
    method: 'POST',
    headers: { ...ada, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { server, at, get, post };
}

const sql = (text) => `query?sql=${encodeURIComponent(text)}`;

describe('a query over REST', () => {
  it('is answered in CSV, JSON, NDJSON, Arrow and Parquet, by Accept or by format', async (t) => {
    const { get, post } = await served(t);
    const expected = [{ a: 1, b: 'x' }, { a: 2, b: null }];
    const plain = 'SELECT * FROM small ORDER BY a';
    const csv = await get(sql(plain));
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(await csv.text(), 'a,b\n1,x\n2,\n');
    for (const accept of ['application/json', 'text/html;q=0.5, application/json', 'text/csv;q=0.1,application/json;q=0.9'])
      assert.deepEqual(await (await post({ sql: plain }, { Accept: accept })).json(), expected, accept);
    const lines = await (await post({ sql: plain, format: 'ndjson' })).text();
    assert.deepEqual(lines.trimEnd().split('\n').map((line) => JSON.parse(line)), expected);
    const stream = await get(sql(plain), { Accept: 'application/vnd.apache.arrow.stream' });
    const table = npmPackage('apache-arrow').tableFromIPC(Buffer.from(await stream.arrayBuffer()));
    assert.deepEqual([...table].map((row) => ({ a: Number(row.a), b: row.b })), expected);
    const file = await (await get(`${sql(plain)}&format=parquet`)).arrayBuffer();
    const objects = await npmPackage('hyparquet').parquetReadObjects({ file });
    assert.deepEqual(objects.map((row) => ({ a: Number(row.a), b: row.b })), expected);
  });

  it('takes the arguments of query_data as well', async (t) => {
    const { post } = await served(t);
    const answer = await post({ dataset: 'sales', columns: ['id', 'note'], filters: [{ col: 'id', op: 'lt', value: 3 }], order_by: [{ col: 'id', desc: true }], format: 'json' });
    assert.equal(answer.status, 200, await answer.clone().text());
    assert.deepEqual(await answer.json(), [2, 1, 0].map((id) => ({ id, note: NOTES[id] })));
  });

  it('is refused where the tool is denied whose arguments it has', async (t) => {
    const withoutSql = await served(t, { deny: ['query', 'plot', 'advanced_query'] });
    for (const asked of [withoutSql.get(sql('SELECT a FROM small')), withoutSql.post({ sql: 'SELECT a FROM small', format: 'parquet' })]) {
      const refused = await asked;
      assert.equal(refused.status, 400);
      assert.equal((await refused.json()).code, 'unknown_tool');
    }
    assert.equal((await withoutSql.post({ dataset: 'small' })).status, 200);
    const withoutArguments = await served(t, { deny: ['query_*'] });
    assert.equal((await withoutArguments.post({ dataset: 'small' })).status, 400);
    assert.equal((await withoutArguments.get(sql('SELECT a FROM small'))).status, 200);
  });

  it('is streamed whole, whatever its length', async (t) => {
    const { get } = await served(t);
    const answer = await get(sql('SELECT id FROM sales ORDER BY id'));
    assert.equal(await answer.text(), `id\n${Array.from({ length: ROWS }, (_, i) => i).join('\n')}\n`);
    const large = await get(sql('SELECT a.id, b.id AS other FROM sales a, sales b WHERE b.id < 100'));
    assert.equal(large.headers.get('transfer-encoding'), 'chunked');
    assert.equal((await large.text()).trimEnd().split('\n').length, 1 + ROWS * 100);
  });

  it('is refused before it begins if it is known to have too many rows', async (t) => {
    const { post, get } = await served(t, { rest: 'max_rows: 1000' });
    const end = Date.now() + 20_000;
    let counted = null;
    while (counted !== 'exact' && Date.now() < end) {
      const { datasets } = await (await get('datasets?match=sales')).json();
      counted = datasets[0].row_count_kind;
    }
    const refused = await post({ dataset: 'sales' });
    assert.equal(refused.status, 413);
    const problem = await refused.json();
    assert.equal(problem.code, 'oversize_result');
    assert.ok(problem.hint);
    assert.equal((await post({ dataset: 'sales', limit: 1000 })).status, 200);
    assert.equal((await post({ sql: 'SELECT * FROM sales', format: 'parquet' })).status, 413);
  });

  it('is broken off, without a last chunk, if it turns out to have too many rows or to fail', async (t) => {
    const { at } = await served(t, { rest: 'max_rows: 100000' });
    const ask = (text) => curl('--header', `Authorization: ${ada.Authorization}`, at(sql(text)));
    const long = await ask('SELECT a.id, b.id AS other, a.note FROM sales a, sales b');
    assert.equal(long.code, 18, `curl: ${long.error}`);  // A partial file.
    assert.ok(long.out.length > 0);
    const failing = await ask(`SELECT CASE WHEN a.id = 2999 THEN CAST(a.name AS INTEGER) ELSE a.id END AS n, b.note FROM sales a, small b WHERE b.a < 10`);
    assert.ok([0, 18, 22].includes(failing.code));
    const http10 = await curl('--http1.0', '--header', `Authorization: ${ada.Authorization}`, at(sql('SELECT a.id, b.id AS other, a.note FROM sales a, sales b')));
    assert.equal(http10.code, 56, `curl: ${http10.error}`);  // Failure in receiving network data.
  });
});

describe('the rest of the REST interface', () => {
  it('lists datasets in pages, and gives schemas', async (t) => {
    const { get } = await served(t);
    const first = await (await get('datasets?limit=1')).json();
    assert.equal(first.total, 2);
    assert.equal(first.datasets.length, 1);
    const second = await (await get(`datasets?limit=1&cursor=${first.next_cursor}`)).json();
    assert.equal(second.next_cursor, undefined);
    assert.deepEqual([first, second].map((page) => page.datasets[0].dataset).sort(), ['sales', 'small']);
    const schema = await (await get('schema?dataset=small')).json();
    assert.deepEqual(schema.columns, ['a', 'b']);
  });

  it('says who is calling', async (t) => {
    const { get, at } = await served(t);
    assert.deepEqual(await (await get('me')).json(), { principal: 'token:ada' });
    assert.equal((await fetch(at('me'))).status, 401);
  });

  it('answers everything that is wrong with a problem', async (t) => {
    const { get, post, at } = await served(t);
    const expectProblem = async (answer, status, code) => {
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json', text);
      assert.equal(JSON.parse(text).code, code, text);
    };
    await expectProblem(await fetch(at('query')), 401, 'unauthenticated');
    await expectProblem(await get('nothing'), 404, 'unknown_path');
    await expectProblem(await get('query'), 400, 'invalid_arguments');
    await expectProblem(await get(`${sql('SELECT 1')}&sqll=2`), 400, 'invalid_arguments');
    await expectProblem(await get(`${sql('SELECT 1')}&sql=2`), 400, 'invalid_arguments');
    await expectProblem(await get('query?sql=%zz'), 400, 'invalid_arguments');
    await expectProblem(await get(`${sql('SELECT a FROM small')}&format=xls`), 406, 'not_acceptable');
    await expectProblem(await get(sql('SELECT a FROM small'), { Accept: 'image/png' }), 406, 'not_acceptable');
    await expectProblem(await get(sql('SELECT nothing FROM small')), 400, 'invalid_column');
    await expectProblem(await get(sql('DROP TABLE small')), 400, 'invalid_sql');
    await expectProblem(await get('schema?dataset=smal'), 404, 'dataset_not_found');
    await expectProblem(await post('{"sql":'), 400, 'invalid_json');
    await expectProblem(await post('[]'), 400, 'invalid_arguments');
    await expectProblem(await post({ sql: ['SELECT 1', 'SELECT 2'] }), 400, 'invalid_arguments');
    await expectProblem(await post({ sql: 'SELECT a FROM small', format: 'xls' }), 406, 'not_acceptable');
    await expectProblem(await post({ dataset: 'small', colunms: ['a'] }), 400, 'invalid_arguments');
    await expectProblem(await post({ dataset: 'small', column: 'a' }), 400, 'invalid_arguments');
    await expectProblem(await post({ sql: 'SELECT 1' }, { 'Content-Type': 'text/plain' }), 415, 'unsupported_media_type');
    await expectProblem(await fetch(at('query'), { method: 'DELETE', headers: ada }), 405, 'method_not_allowed');
    await expectProblem(await get(sql('SELECT a FROM small'), { 'Sec-Fetch-Site': 'cross-site' }), 403, 'forbidden');
    await expectProblem(await get(`${sql('SELECT a FROM small')}&access_token=x`), 400, 'invalid_request');
  });

  it('is off without its section', async (t) => {
    const folder = folderOf(t, { 'small.csv': 'a\n1\n' });
    const server = await serve(t, folder);
    assert.equal((await fetch(`${server.url.origin}/api/v1/me`, { headers: ada })).status, 404);
  });
});

describe('a new configuration', () => {
  it('serves requests that begin afterwards, and lets those under way come to their end', async (t) => {
    const folder = folderOf(t, { 'sales.csv': rowsCsv(ROWS), 'small.csv': 'a,b\n1,x\n2,\n' });
    const server = await serve(t, folder, { lines: 'rest: {}' });
    const at = (path) => `${server.url.origin}/api/v1/${path}`;
    const open = await fetch(at(sql('SELECT a.id, b.id AS other FROM sales a, sales b WHERE b.id < 300')), { headers: ada });
    const reader = open.body.getReader();
    let bytes = (await reader.read()).value.length;
    const config = join(folder, 'sluice.yaml');
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'tiny.csv'), 'a\n1\n');
    writeFileSync(config, readFileSync(config, 'utf8').replace('path: "."', 'path: "other"'));
    const names = async () => (await (await fetch(at('datasets'), { headers: ada })).json()).datasets.map((one) => one.dataset);
    const end = Date.now() + 20_000;
    while ((await names()).length !== 1) assert.ok(Date.now() < end, 'the new configuration does not come');
    let last = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.length;
      last = Buffer.from(piece.value).toString();
    }
    assert.ok(bytes > 5_000_000 && last.endsWith('\n'), `${bytes}`);
    assert.equal((await fetch(at('schema?dataset=sales'), { headers: ada })).status, 404);
  });
});

describe('the OpenAPI document', () => {
  it('needs no token and names no data', async (t) => {
    const { at } = await served(t);
    const answer = await fetch(at('openapi.json'));
    assert.equal(answer.status, 200);
    const text = await answer.text();
    const document = JSON.parse(text);
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(document.servers, [{ url: `${PUBLIC}/api/v1` }]);
    for (const name of ['sales', 'small', 'ada']) assert.equal(text.includes(name), false, name);
  });

  it('describes every path, parameter and status that there is', async (t) => {
    const { at, get, post } = await served(t);
    const document = await (await fetch(at('openapi.json'))).json();
    const Ajv = npmPackage('ajv/dist/2020.js').default;
    const ajv = new Ajv({ strict: false });
    ajv.addSchema(document, 'openapi');
    const resolved = (node) => (node.$ref ? node.$ref.slice(2).split('/').reduce((at_, part) => at_[part], document) : node);
    const check = async (path, method, answer) => {
      const { responses } = document.paths[path][method];
      const response = responses[answer.status];
      assert.ok(response, `${method} ${path}: ${answer.status}`);
      const type = answer.headers.get('content-type').split(';')[0];
      const content = resolved(response).content[type];
      assert.ok(content, `${method} ${path}: ${type}`);
      const body = Buffer.from(await answer.arrayBuffer());
      if (!type.includes('json') || type === 'application/x-ndjson' || !content.schema) return;
      const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('#/components', 'openapi#/components'));
      const validate = ajv.compile(schema);
      assert.ok(validate(JSON.parse(body)), `${method} ${path}: ${JSON.stringify(validate.errors)}`);
    };
    await check('/datasets', 'get', await get('datasets?match=s&limit=1'));
    await check('/datasets', 'get', await get('datasets?limit=x'));
    await check('/datasets', 'get', await fetch(at('datasets')));
    await check('/schema', 'get', await get('schema?dataset=small&offset=0'));
    await check('/schema', 'get', await get('schema?dataset=none'));
    await check('/me', 'get', await get('me'));
    await check('/openapi.json', 'get', await fetch(at('openapi.json')));
    for (const format of ['csv', 'json', 'ndjson', 'arrow', 'parquet'])
      await check('/query', 'get', await get(`${sql('SELECT * FROM small')}&format=${format}`));
    await check('/query', 'get', await get(`${sql('SELECT * FROM small')}&format=none`));
    await check('/query', 'post', await post({ sql: 'SELECT * FROM small', format: 'json' }));
    await check('/query', 'post', await post({ dataset: 'small', format: 'json' }));
    await check('/query', 'post', await post('no JSON'));
    await check('/query', 'post', await post({}, { 'Content-Type': 'text/plain' }));
    const names = (path, method) => document.paths[path][method].parameters.map((parameter) => parameter.name).sort();
    assert.deepEqual(names('/query', 'get'), ['bom', 'format', 'sql']);
    assert.deepEqual(names('/datasets', 'get'), ['cursor', 'limit', 'match']);
    assert.deepEqual(names('/schema', 'get'), ['dataset', 'offset']);
    const question = ajv.compile({ $ref: 'openapi#/components/schemas/Question' });
    assert.ok(question({ dataset: 'x', columns: ['a'], limit: 3 }));
    assert.equal(question({ dataset: 'x', columns: 'a' }), false);
    assert.equal(question({ sql: 'SELECT 1' }), false);
  });
});

describe('a spreadsheet', () => {
  const password = (token) => ({ Authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` });

  it('gets UTF-8 that it recognises', async (t) => {
    const { get } = await served(t);
    const bytes = Buffer.from(await (await get(`${sql("SELECT note FROM sales WHERE id = 6")}&bom=true`)).arrayBuffer());
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    assert.equal(bytes.subarray(3).toString(), 'note\nԵրևան 😀\n');
    const plain = Buffer.from(await (await get(sql('SELECT note FROM sales WHERE id = 6'))).arrayBuffer());
    assert.equal(plain.toString(), 'note\nԵրևան 😀\n');
  });

  it('may send its token as a password only where that is configured', async (t) => {
    const headers = password('ada-secret-0123456789');
    const on = await served(t, { rest: 'basic: true' });
    assert.deepEqual(await (await fetch(on.at('me'), { headers })).json(), { principal: 'token:ada' });
    const refused = await fetch(on.at('me'), { headers: password('wrong-secret-0123456789') });
    assert.equal(refused.status, 401);
    assert.doesNotMatch(refused.headers.get('www-authenticate'), /basic/i);
    const cross = await fetch(on.at('me'), { headers: { ...headers, 'Sec-Fetch-Site': 'cross-site' } });
    assert.equal(cross.status, 403);
    const off = await served(t);
    assert.equal((await fetch(off.at('me'), { headers })).status, 401);
    assert.equal((await fetch(on.server.url, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: '{}' })).status, 401);
  });
});

describe('a page of an allowed origin', () => {
  it('may read answers and refusals of REST, and asks before it does', async (t) => {
    const { at } = await served(t, { server: 'allowed_origins: [ "https://app.example.org" ]' });
    const origin = { Origin: 'https://app.example.org' };
    const ask = (method, headers) => new Promise((resolve, reject) => {
      request(at('me'), { method, headers }, (response) => resolve(response.resume())).on('error', reject).end();
    });
    const preflight = await ask('OPTIONS', { ...origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'authorization' });
    assert.equal(preflight.statusCode, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], 'https://app.example.org');
    assert.match(preflight.headers['access-control-allow-headers'], /authorization/);
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
    const refused = await ask('GET', origin);
    assert.equal(refused.statusCode, 401);
    assert.equal(refused.headers['access-control-allow-origin'], 'https://app.example.org');
    const cross = await ask('GET', { ...origin, ...ada, 'Sec-Fetch-Site': 'cross-site' });
    assert.equal(cross.statusCode, 200);
    assert.match(cross.headers['access-control-expose-headers'], /ETag/);
    assert.equal((await ask('GET', { ...ada, Origin: 'https://evil.example' })).statusCode, 403);
  });
});
