// The provider of docs/guides/new-provider.md, as a server of its own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS } from './connection.mjs';

for (const way of WAYS) {
  describe(`the reminders server, ${way.name}`, () => {
    test('stores reminders and reads them by their URIs', async (t) => {
      const { client, check } = await way.connect(t, { program: 'REMINDERS_SERVER' });
      assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ['add_reminder']);
      assert.deepEqual((await client.listResources()).resources, []);
      const added = await client.callTool({ name: 'add_reminder', arguments: { text: 'Buy milk' } });
      assert.equal(added.content[0].text, 'reminder:///1');
      await client.callTool({ name: 'add_reminder', arguments: { text: 'Call Ada' } });
      const { resources } = await client.listResources();
      assert.deepEqual(resources.map(({ uri }) => uri), ['reminder:///1', 'reminder:///2']);
      const { contents } = await client.readResource({ uri: 'reminder:///2' });
      assert.deepEqual(contents, [{ uri: 'reminder:///2', mimeType: 'text/plain', text: 'Call Ada' }]);
      check.assertClean();
    });

    test('refuses reminders that are too large and names reminders that do not exist', async (t) => {
      const { client, check } = await way.connect(t, { program: 'REMINDERS_SERVER' });
      const large = await client.callTool({ name: 'add_reminder', arguments: { text: 'x'.repeat(10_001) } });
      assert.equal(large.isError, true);
      assert.match(large.content[0].text, /bytes in a reminder/);
      await assert.rejects(client.readResource({ uri: 'reminder:///1' }), /Resource not found: reminder:\/\/\/1/);
      check.assertClean();
    });
  });
}
