import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS, collect } from './connection.mjs';
import { until } from './waiting.mjs';

for (const way of WAYS) {
  describe(`prompts and completion, ${way.name}`, () => {
    test('are listed with their arguments', async (t) => {
      const { client, check } = await way.connect(t);
      const { prompts } = await client.listPrompts();
      const prompt = prompts.find(({ name }) => name === 'test_prompt_with_arguments');
      assert.deepEqual(prompt.arguments.map(({ name, required }) => [name, required]), [['arg1', true], ['arg2', true]]);
      check.assertClean();
    });

    test('are filled in', async (t) => {
      const { client, check } = await way.connect(t);
      const get = async (name, args) => (await client.getPrompt({ name, arguments: args })).messages;
      assert.deepEqual(await get('test_simple_prompt'),
        [{ role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } }]);
      const [filled] = await get('test_prompt_with_arguments', { arg1: 'a "quoted"', arg2: 'b' });
      assert.equal(filled.content.text, `Prompt with arguments: arg1='a "quoted"', arg2='b'`);
      const [embedded] = await get('test_prompt_with_embedded_resource', { resourceUri: 'test://x' });
      assert.equal(embedded.content.resource.uri, 'test://x');
      assert.equal((await get('test_prompt_with_image'))[0].content.mimeType, 'image/png');
      check.assertClean();
    });

    test('refuse an unknown name and a missing argument', async (t) => {
      const { client, check } = await way.connect(t);
      await assert.rejects(client.getPrompt({ name: 'no_such_prompt' }),
        (error) => error.code === -32602 && /no_such_prompt/.test(error.message));
      await assert.rejects(client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a' } }),
        (error) => error.code === -32602 && /arg2/.test(error.message));
      check.assertClean();
    });

    test('complete the arguments of prompts and templates', async (t) => {
      const { client, check } = await way.connect(t);
      const forPrompt = await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      });
      assert.deepEqual(forPrompt.completion.values, ['paris', 'park', 'party']);
      assert.equal(forPrompt.completion.total, 3);
      const forTemplate = await client.complete({
        ref: { type: 'ref/resource', uri: 'test://template/{id}/data' },
        argument: { name: 'id', value: '12' },
      });
      assert.deepEqual(forTemplate.completion.values, ['12', '123']);
      check.assertClean();
    });

    test('of a changed list are announced to those who listen', async (t) => {
      const { client, check } = await way.connect(t);
      const tools = collect(way, client, 'notifications/tools/list_changed');
      const prompts = collect(way, client, 'notifications/prompts/list_changed');
      const resources = collect(way, client, 'notifications/resources/list_changed');
      const call = (name, args = {}) => client.callTool({ name, arguments: args });
      if (way.sdk === 'modern') {
        const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
        assert.deepEqual((await client.listen(filter)).honoredFilter, filter);
      }
      await call('test_trigger_tool_change');
      await until('the change of tools came', () => tools.length === 1);
      assert.equal(prompts.length, 0);
      const listed = await client.listTools();
      assert.ok(listed.tools.some(({ name }) => name === 'test_dynamic_tool'));
      assert.equal((await call('test_dynamic_tool')).content[0].text, 'I am here.');
      await call('test_trigger_prompt_change');
      await until('the change of prompts came', () => prompts.length === 1);
      await call('test_add_resources', { count: 1 });
      await until('the change of resources came', () => resources.length === 1);
      check.assertClean();
    });
  });
}
