import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS, collect } from './connection.mjs';
import { npmPackage } from './npm_package.mjs';
import { until } from './waiting.mjs';

const WATCHED = 'test://watched-resource';

for (const way of WAYS) {
  describe(`resources, ${way.name}`, () => {
    test('are listed with what is known of them', async (t) => {
      const { client, check } = await way.connect(t);
      const { resources } = await client.listResources();
      const text = resources.find(({ uri }) => uri === 'test://static-text');
      assert.deepEqual([text.name, text.title, text.mimeType, text.size],
        ['static-text', 'A static text', 'text/plain', 48]);
      assert.deepEqual(text.annotations,
        { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' });
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ['test://template/{id}/data']);
      check.assertClean();
    });

    test('are read as text, as bytes and through a template', async (t) => {
      const { client, check } = await way.connect(t);
      const read = async (uri) => (await client.readResource({ uri })).contents[0];
      assert.equal((await read('test://static-text')).text, 'This is the content of the static text resource.');
      const { blob, mimeType } = await read('test://static-binary');
      assert.equal(mimeType, 'image/png');
      assert.equal(Buffer.from(blob, 'base64').subarray(1, 4).toString(), 'PNG');
      const filled = await read('test://template/42/data');
      assert.equal(filled.uri, 'test://template/42/data');
      assert.deepEqual(JSON.parse(filled.text), { id: '42', templateTest: true, data: 'Data for ID: 42' });
      check.assertClean();
    });

    test('that do not exist are named in the error', async (t) => {
      const { client, check } = await way.connect(t);
      const code = way.sdk === 'modern' ? -32602 : -32002;
      await assert.rejects(client.readResource({ uri: 'test://missing' }),
        (error) => error.code === code && /test:\/\/missing/.test(error.message));
      await assert.rejects(client.readResource({ uri: 'no uri at all' }), (error) => error.code === -32602);
      check.assertClean();
    });

    test('come in pages that together hold each of them once', async (t) => {
      const { client, check } = await way.connect(t);
      await client.callTool({ name: 'test_add_resources', arguments: { count: 250 } });
      // The schema names no page size; the client's own walk over the pages is not used, to see each of them.
      const pages = [];
      let cursor;
      do {
        const page = await client.request({ method: 'resources/list', params: cursor ? { cursor } : {} },
          ...(way.sdk === 'legacy' ? [npmPackage('@modelcontextprotocol/sdk/types.js').ListResourcesResultSchema] : []));
        pages.push(page.resources.map(({ uri }) => uri));
        cursor = page.nextCursor;
      } while (cursor && pages.length < 10);
      assert.deepEqual(pages.map(({ length }) => length), [100, 100, 54]);
      const uris = pages.flat();
      assert.equal(new Set(uris).size, uris.length);
      assert.deepEqual(uris, [...uris].sort());
      check.assertClean();
    });

    test('refuse a cursor that the server did not make', async (t) => {
      const { client, check } = await way.connect(t);
      await assert.rejects(client.listResources({ cursor: 'bm90IG91cnM' }), (error) => error.code === -32602);
      await assert.rejects(client.listTools({ cursor: '' }), (error) => error.code === -32602);
      check.assertClean();
    });

    test('tell a subscriber when they change, and nobody else', async (t) => {
      const { client, check } = await way.connect(t);
      const updates = collect(way, client, 'notifications/resources/updated');
      const touch = () => client.callTool({ name: 'test_touch_resource', arguments: {} });
      await touch();
      const unsubscribe = await subscribe(way, client, check, WATCHED);
      await touch();
      await until('the update came', () => updates.length === 1);
      assert.equal(updates[0].uri, WATCHED);
      await unsubscribe();
      await touch();
      await client.callTool({ name: 'test_simple_text', arguments: {} });  // An update would come before its answer.
      assert.equal(updates.length, 1);
      check.assertClean();
    });

    test('that do not exist cannot be subscribed to', async (t) => {
      const { client, check } = await way.connect(t);
      if (way.sdk === 'legacy') {
        await assert.rejects(client.subscribeResource({ uri: 'test://missing' }), (error) => error.code === -32002);
      } else {
        const subscription = await client.listen({ resourceSubscriptions: ['test://missing', WATCHED] });
        assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [WATCHED] });
        await subscription.close();
        assert.equal(await subscription.closed, 'local');
      }
      check.assertClean();
    });
  });
}

// Gives the way to end the subscription again.
async function subscribe(way, client, check, uri) {
  if (way.sdk === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }
  await client.subscribeResource({ uri });
  return () => client.unsubscribeResource({ uri });
}
