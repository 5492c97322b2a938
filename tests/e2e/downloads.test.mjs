// Results as files by signed links: formats, ranges, restarts, and links that somebody has altered.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { connect, modernClient } from './connection.mjs';
import { NOTES, PUBLIC, ada, bob, clientOf, curl, folderOf, reachable, rowsCsv, serve, withEnding } from './exports.mjs';
import { npmPackage } from './npm_package.mjs';

const ROWS = 3_000;

async function served(t, options = {}, rows = ROWS) {
  const folder = folderOf(t, { 'sales.csv': rowsCsv(rows) });
  const server = await serve(t, folder, options);
  const client = await clientOf(t, server);
  return { folder, server, client };
}

// A result that is too large for an answer, and its link where the server listens.
async function linked(t, options, rows) {
  const { server, client, folder } = await served(t, options, rows);
  const answer = await client.callTool({ name: 'query_data', arguments: { dataset: 'sales', confirm: true } });
  const { download, result_handle: handle } = answer.structuredContent;
  return { server, client, folder, download, handle, url: reachable(download.url, server) };
}

const bytesOf = async (url, headers = {}) => Buffer.from(await (await fetch(url, { headers })).arrayBuffer());

describe('a link to a result', () => {
  it('stands once in an answer over HTTP that made a handle, with its expiry', async (t) => {
    const { client, download, handle } = await linked(t);
    assert.ok(download.url.startsWith(`${PUBLIC}/download/${handle}.csv?exp=`), download.url);
    assert.deepEqual(download.formats, ['csv', 'json', 'ndjson', 'parquet', 'arrow']);
    const left = Date.parse(download.expires_at) - Date.now();
    assert.ok(left > 4 * 60_000 && left <= 5 * 60_000, `${left} ms`);
    const page = await client.callTool({ name: 'query_next_page', arguments: { result_handle: handle } });
    assert.equal(JSON.stringify(page).includes('download'), false);
    const small = await client.callTool({ name: 'query_data', arguments: { dataset: 'sales', limit: 2 } });
    assert.equal(JSON.stringify(small).includes('download'), false);
  });

  it('stands in the metadata of the lean profile, and in its text where a file was asked for', async (t) => {
    const { server, client } = await served(t, { profile: 'lean' });
    const rows = await client.callTool({ name: 'query', arguments: { sql: 'SELECT * FROM sales', name: 'all_sales' } });
    const link = rows._meta['sluice/result'].download;
    assert.ok(link.url.endsWith('&name=all_sales'), link.url);
    assert.equal(rows.content[0].text.includes('/download/'), false);
    const file = await client.callTool({ name: 'query', arguments: { sql: 'SELECT * FROM sales', format: 'parquet' } });
    assert.match(file.content[0].text, /^# download: https:\/\/data\.example\.org\/download\/[A-Za-z0-9_-]+\.parquet\?exp=/m);
    const response = await fetch(reachable(link.url, server));
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="all_sales.csv"; filename*=UTF-8''all_sales.csv`);
  });

  it('is in no answer on stdio', async (t) => {
    const folder = folderOf(t, { 'sales.csv': rowsCsv(ROWS) });
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, `server: { public_url: "${PUBLIC}" }
limits: { max_rows: 100 }
collections: [ { path: "." } ]
tools: { profile: full }
`);
    const { client } = await connect(t, modernClient({ capabilities: {} }), { sdk: 'modern', transport: 'stdio', program: 'SLUICE', args: ['serve', config] });
    const answer = await client.callTool({ name: 'query_data', arguments: { dataset: 'sales' } });
    assert.ok(answer.structuredContent.result_handle);
    assert.equal(JSON.stringify(answer).includes('/download/'), false);
  });
});

describe('the file behind a link', () => {
  it('has all rows in every format', async (t) => {
    const { url, client, handle } = await linked(t);
    const expected = Array.from({ length: ROWS }, (_, i) => ({ id: i, note: NOTES[i % NOTES.length] }));
    const json = JSON.parse(await bytesOf(withEnding(url, 'json')));
    assert.deepEqual(json.map(({ id, note }) => ({ id, note })), expected);
    const lines = String(await bytesOf(withEnding(url, 'ndjson'))).trimEnd().split('\n');
    assert.deepEqual(lines.map((line) => JSON.parse(line)), json);

    const arrow = npmPackage('apache-arrow').tableFromIPC(await bytesOf(withEnding(url, 'arrow')));
    assert.deepEqual([...arrow].map((row) => ({ id: Number(row.id), note: row.note })), expected);

    const parquet = await bytesOf(withEnding(url, 'parquet'));
    const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.byteLength);
    const objects = await npmPackage('hyparquet').parquetReadObjects({ file, columns: ['id', 'note'] });
    assert.deepEqual(objects.map((row) => ({ id: Number(row.id), note: row.note })), expected);

    const pages = [];
    for (let next = 0; next !== undefined;) {
      const page = await client.readResource({ uri: typeof next === 'string' ? next : `data://handle/${handle}/0?format=csv` });
      pages.push(pages.length === 0 ? page.contents[0].text : page.contents[0].text.slice(page.contents[0].text.indexOf('\n') + 1));
      next = page.contents[0]._meta.next;
    }
    assert.ok(pages.length > 2);
    assert.equal(String(await bytesOf(url)), pages.join(''));
  });

  it('has headers that keep it private and make browsers save it', async (t) => {
    const { url } = await linked(t);
    const { headers } = await fetch(url);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('content-security-policy'), 'sandbox');
    assert.equal(headers.get('accept-ranges'), 'bytes');
    assert.match(headers.get('etag'), /^"[0-9a-f]{32}"$/);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  });

  it('is the same whoever asks first: by link, by token, in parts', async (t) => {
    const { url, handle, server } = await linked(t);
    const whole = await bytesOf(url);
    const own = `${server.url.origin}/download/${handle}.csv`;
    assert.deepEqual(await bytesOf(own, ada), whole);
    assert.equal((await fetch(own)).status, 401);
    assert.equal((await fetch(own, { headers: bob })).status, 404);
    const parts = [];
    for (let begin = 0; begin < whole.length; begin += 10_007) {
      const part = await fetch(url, { headers: { Range: `bytes=${begin}-${begin + 10_006}` } });
      assert.equal(part.status, 206);
      parts.push(Buffer.from(await part.arrayBuffer()));
      assert.equal(part.headers.get('content-range'), `bytes ${begin}-${begin + parts.at(-1).length - 1}/${whole.length}`);
    }
    assert.deepEqual(Buffer.concat(parts), whole);
  });

  it('obeys Range, If-Range, If-None-Match and HEAD', async (t) => {
    const { url } = await linked(t);
    const head = await fetch(url, { method: 'HEAD' });
    const length = Number(head.headers.get('content-length'));
    const etag = head.headers.get('etag');
    const whole = await bytesOf(url);
    assert.equal(whole.length, length);
    const ask = (headers) => fetch(url, { headers });
    const tail = await ask({ Range: 'bytes=-5' });
    assert.equal(tail.status, 206);
    assert.deepEqual(Buffer.from(await tail.arrayBuffer()), whole.subarray(-5));
    assert.equal((await ask({ Range: 'bytes=5-', 'If-Range': etag })).status, 206);
    const changed = await ask({ Range: 'bytes=5-', 'If-Range': '"other"' });
    assert.equal(changed.status, 200);
    assert.equal(Number(changed.headers.get('content-length')), length);
    const behind = await ask({ Range: `bytes=${length}-` });
    assert.equal(behind.status, 416);
    assert.equal(behind.headers.get('content-range'), `bytes */${length}`);
    assert.equal((await behind.json()).code, 'range_not_satisfiable');
    assert.equal((await ask({ Range: 'bytes=0-1,4-5' })).status, 200);
    assert.equal((await ask({ Range: 'lines=0-1' })).status, 200);
    const known = await ask({ 'If-None-Match': etag });
    assert.equal(known.status, 304);
    assert.equal((await known.arrayBuffer()).byteLength, 0);
  });

  it('is fetched by curl in two parts across a restart with a shared spool', async (t) => {
    const spool = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
    t.after(() => rmSync(spool, { recursive: true }));
    const { url, server, folder, download } = await linked(t, { spool }, 200_000);
    const whole = await bytesOf(url);
    const target = join(folder, 'part.bin');
    const broken = await curl('--output', target, '--range', '0-3000000', url);
    assert.equal(broken.code, 0, broken.error);
    await server.stop();
    const again = await serve(t, folder, { spool });
    const resumed = await curl('--continue-at', '-', '--output', target, reachable(download.url, again));
    assert.equal(resumed.code, 0, resumed.error);
    const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
    assert.equal(statSync(target).size, whole.length);
    assert.equal(digest(readFileSync(target)), digest(whole));
  });

  it('has the same bytes and the same tag from every replica that shares the spool', async (t) => {
    const spool = mkdtempSync(join(tmpdir(), 'sluice-spool-'));
    t.after(() => rmSync(spool, { recursive: true }));
    const { url, folder, download } = await linked(t, { spool }, 100_000);
    const other = reachable(download.url, await serve(t, folder, { spool }));
    for (const format of download.formats) {
      const [first, second] = await Promise.all([url, other].map((one) => fetch(withEnding(one, format))));
      assert.equal(first.headers.get('etag'), second.headers.get('etag'), format);
      assert.deepEqual(Buffer.from(await first.arrayBuffer()), Buffer.from(await second.arrayBuffer()), format);
    }
  });

  it('is refused if it is larger than downloads.max_bytes', async (t) => {
    const { url } = await linked(t, { lines: 'downloads: { max_bytes: 20KB }' });
    const refused = await fetch(url, { method: 'GET', headers: { Range: 'bytes=0-' } });
    assert.equal(refused.status, 413);
    assert.equal((await refused.json()).code, 'oversize_result');
  });
});

describe('altered_download_link', () => {
  it('gets one answer for whatever is wrong with it', async (t) => {
    const { url, handle, server } = await linked(t);
    const { origin } = server.url;
    const { searchParams } = new URL(url);
    const exp = searchParams.get('exp');
    const sig = searchParams.get('sig');
    const other = (text) => (text[3] === 'A' ? `${text.slice(0, 3)}B${text.slice(4)}` : `${text.slice(0, 3)}A${text.slice(4)}`);
    const paths = [
      `/download/${other(handle)}.csv?exp=${exp}&sig=${sig}`,
      `/download/${handle}.csv?exp=${Number(exp) + 1}&sig=${sig}`,
      `/download/${handle}.csv?exp=${exp}&sig=${other(sig)}`,
      `/download/${handle}.csv?exp=${exp}&sig=${sig.slice(0, -1)}`,
      `/download/${handle}.csv?exp=${exp}&sig=`,
      `/download/${handle}.csv?exp=&sig=${sig}`,
      `/download/${handle}.csv?exp=-1&sig=${sig}`,
      `/download/${handle}.csv?sig=${sig}`,
      `/download/${handle}.csv?exp=${exp}&exp=${exp}&sig=${sig}`,
      `/download/${handle}.csv?exp=${exp}&sig=${sig}&more=1`,
      `/download/${handle}.exe?exp=${exp}&sig=${sig}`,
      `/download/${handle}?exp=${exp}&sig=${sig}`,
      `/download/../download/${handle}.csv?exp=${exp}&sig=${sig}`,
      `/download/..%2fdownload%2f${handle}.csv?exp=${exp}&sig=${sig}`,
      `/download/%2e%2e%2f${handle}.csv?exp=${exp}&sig=${sig}`,
      `/download/x/${handle}.csv?exp=${exp}&sig=${sig}`,
    ];
    const answers = new Set();
    for (const path of paths) {
      const asked = await curl('--path-as-is', '--include', `${origin}${path}`);
      const [head, body] = String(asked.out).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 404 /, path);
      answers.add(body);
    }
    assert.equal(answers.size, 1);
    assert.equal(JSON.parse([...answers][0]).code, 'unknown_download');
    assert.equal((await fetch(url)).status, 200);
  });

  it('has expired when its time is over', async (t) => {
    const { url } = await linked(t, { lines: 'downloads: { ttl: 1s }' });
    assert.equal((await fetch(url)).status, 200);
    const end = Date.now() + 10_000;
    let status = 200;
    while (status === 200 && Date.now() < end) {
      await new Promise((resolve) => { setTimeout(resolve, 100); });
      ({ status } = await fetch(url));
    }
    assert.equal(status, 404);
  });

  it('is worth nothing once its owner is turned away', async (t) => {
    const { url, folder } = await linked(t);
    assert.equal((await fetch(url)).status, 200);
    appendFileSync(join(folder, 'sluice.yaml'), 'auth: { denied: [ "token:ada" ] }\n');
    const end = Date.now() + 20_000;
    let answer = await fetch(url);
    while (answer.status === 200 && Date.now() < end) {
      await answer.arrayBuffer();
      answer = await fetch(url);
    }
    assert.equal(answer.status, 404);
    assert.equal((await answer.json()).code, 'unknown_download');
  });

  it('cannot be used with a token of another server, or a bad one', async (t) => {
    const { url } = await linked(t);
    assert.equal((await fetch(url, { headers: { Authorization: 'Bearer wrong-secret-0123456789' } })).status, 401);
    assert.equal((await fetch(url, { headers: bob })).status, 200);
    assert.equal((await fetch(`${url}&access_token=ada-secret-0123456789`)).status, 400);
  });

  it('puts no header into the response by the name of its file', async (t) => {
    const { url } = await linked(t);
    for (const [name, ascii, encoded] of [
      ['a\r\nSet-Cookie: x=1', 'a  Set-Cookie_ x_1.csv', 'a%20%20Set-Cookie_%20x%3D1.csv'],
      ['"; filename=evil.exe', '__ filename_evil.exe.csv', '_%3B%20filename%3Devil.exe.csv'],
      ['../../etc/passwd', '_.._etc_passwd.csv', '_.._etc_passwd.csv'],
      ['Երևան', '__________.csv', '%D4%B5%D6%80%D6%87%D5%A1%D5%B6.csv'],
    ]) {
      const response = await fetch(`${url}&name=${encodeURIComponent(name)}`);
      assert.equal(response.status, 200, name);
      assert.equal(response.headers.get('set-cookie'), null);
      assert.equal(response.headers.get('content-disposition'), `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`);
    }
  });
});

describe('a large download', () => {
  it('takes no memory by its length, nor by the slowness of its reader', async (t) => {
    const { server, url } = await linked(t, {}, 1_000_000);
    const idle = server.privateBytes();
    let peak = idle;
    const watch = setInterval(() => { peak = Math.max(peak, server.privateBytes()); }, 5);
    const target = new URL(url);
    const slow = connectTcp({ host: target.hostname, port: Number(target.port) });
    slow.write(`GET ${target.pathname}${target.search} HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`);
    await new Promise((resolve) => { slow.once('readable', resolve); });
    slow.read(1);
    const got = await fetch(url);
    let bytes = 0;
    for await (const piece of got.body) bytes += piece.length;
    clearInterval(watch);
    slow.destroy();  // Or the server would give it time to read on.
    assert.ok(bytes > 50_000_000, `${bytes}`);
    assert.ok(peak - idle < 32 * 1024 * 1024, `${((peak - idle) / 1024 / 1024).toFixed(1)} MiB above idle`);
  });
});
