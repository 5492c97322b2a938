import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS, onRequest } from './connection.mjs';

const text = (result) => result.content[0].text;
const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

for (const way of WAYS) {
  describe(`questions to the client, ${way.name}`, () => {
    test('reach the user, whose answer reaches the tool', async (t) => {
      const { client, check } = await way.connect(t);
      const asked = [];
      onRequest(way, client, 'elicitation/create', async ({ params }) => {
        asked.push(params);
        return { action: 'accept', content: { username: 'ada', email: 'ada@example.org' } };
      });
      const result = await call(client, 'test_elicitation', { message: 'Who are you?' });
      assert.equal(text(result),
        'User response: action=accept, content={"username":"ada","email":"ada@example.org"}');
      assert.equal(asked.length, 1);
      assert.equal(asked[0].message, 'Who are you?');
      assert.deepEqual(asked[0].requestedSchema.required, ['username', 'email']);
      check.assertClean();
    });

    for (const action of ['decline', 'cancel']) {
      test(`can be answered with ${action}`, async (t) => {
        const { client, check } = await way.connect(t);
        onRequest(way, client, 'elicitation/create', async () => ({ action }));
        assert.match(text(await call(client, 'test_elicitation', { message: 'Well?' })), new RegExp(`action=${action}`));
        check.assertClean();
      });
    }

    test('reach the model of the client', async (t) => {
      const { client, check } = await way.connect(t);
      onRequest(way, client, 'sampling/createMessage', async ({ params }) => ({
        model: 'test', role: 'assistant', stopReason: 'endTurn',
        content: { type: 'text', text: `echo: ${params.messages[0].content.text} (${params.maxTokens})` },
      }));
      assert.equal(text(await call(client, 'test_sampling', { prompt: 'hi' })), 'LLM response: echo: hi (100)');
      check.assertClean();
    });

    test('reach the roots of the client', async (t) => {
      const { client, check } = await way.connect(t);
      onRequest(way, client, 'roots/list', async () => ({ roots: [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp' }] }));
      assert.equal(text(await call(client, 'test_input_required_result_list_roots')),
        'Roots: file:///home/ada file:///tmp');
      check.assertClean();
    });

    test('can be several at once, and one after the other', async (t) => {
      const { client, check } = await way.connect(t);
      onRequest(way, client, 'elicitation/create', async ({ params }) => ({
        action: 'accept', content: /color/.test(params.message) ? { color: 'green' } : { name: 'Ada' },
      }));
      onRequest(way, client, 'sampling/createMessage', async () => (
        { model: 'test', role: 'assistant', content: { type: 'text', text: 'hello' } }));
      onRequest(way, client, 'roots/list', async () => ({ roots: [] }));
      assert.equal(text(await call(client, 'test_input_required_result_multiple_inputs')), 'Got 3 answers');
      assert.equal(text(await call(client, 'test_input_required_result_multi_round')), 'Ada likes green');
      check.assertClean();
    });

    test('come from prompts and resources too', async (t) => {
      const { client, check } = await way.connect(t);
      onRequest(way, client, 'elicitation/create', async ({ params }) => ({
        action: 'accept', content: /prompt/.test(params.message) ? { context: 'tests' } : { ok: true },
      }));
      const prompt = await client.getPrompt({ name: 'test_input_required_result_prompt' });
      assert.equal(prompt.messages[0].content.text, 'Context: tests');
      const { contents } = await client.readResource({ uri: 'test://with-consent' });
      assert.equal(contents[0].text, "Shown with the user's consent.");
      check.assertClean();
    });

    test('are not put to a client that cannot answer them', async (t) => {
      const { client, check } = await way.connect(t, { client: { capabilities: {} } });
      assert.equal(text(await call(client, 'test_input_required_result_capabilities')),
        'This client cannot be asked anything.');
      if (way.sdk === 'modern') {
        await assert.rejects(call(client, 'test_missing_capability'), (error) => error.code === -32021);
      } else {
        const result = await call(client, 'test_missing_capability');
        assert.equal(result.isError, true);
        assert.equal(JSON.parse(text(result)).code, 'missing_capability');
      }
      check.assertClean();
    });

    test('follow the progress of the call that asks', async (t) => {
      const { client, check } = await way.connect(t);
      onRequest(way, client, 'elicitation/create', async () => ({ action: 'accept', content: { ok: true } }));
      const options = { onprogress: () => {} };
      const result = await client.callTool({ name: 'test_streaming_elicitation', arguments: {} },
        ...(way.sdk === 'legacy' ? [undefined, options] : [options]));
      assert.match(text(result), /Streaming elicitation: action=accept/);
      assert.equal(check.ofMethod('notifications/progress')[0].params.message, 'about to ask');
      check.assertClean();
    });
  });
}
