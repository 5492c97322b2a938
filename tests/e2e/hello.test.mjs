// The smallest server of the examples, as a newcomer would use it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS } from './connection.mjs';

for (const way of WAYS) {
  describe(`the hello server, ${way.name}`, () => {
    test('greets, and shows its motto', async (t) => {
      const { client, check } = await way.connect(t, { program: 'HELLO_SERVER' });
      assert.equal(client.getServerVersion().name, 'hello');
      assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ['greet']);
      const greeting = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
      assert.equal(greeting.content[0].text, 'Hello, Ada!');
      const { contents } = await client.readResource({ uri: 'hello://motto' });
      assert.equal(contents[0].text, 'Small first.');
      assert.equal(client.getServerCapabilities().prompts, undefined);
      check.assertClean();
    });

    test('names the argument that is missing', async (t) => {
      const { client, check } = await way.connect(t, { program: 'HELLO_SERVER' });
      const result = await client.callTool({ name: 'greet', arguments: {} });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /name/);
      check.assertClean();
    });
  });
}
