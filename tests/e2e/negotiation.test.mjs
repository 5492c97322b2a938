import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TRANSPORTS, connect, connectModern, legacyClient, modernClient } from './connection.mjs';
import { RawPipe } from './raw_client.mjs';

const OLD_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

for (const transport of TRANSPORTS) {
  describe(`the era over ${transport}`, () => {
    test('is the modern one for a client that can choose', async (t) => {
      const { client, check } = await connectModern(t, transport, { client: { era: 'auto' } });
      assert.equal(client.getProtocolEra(), 'modern');
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.deepEqual(client.getServerVersion(), { name: 'everything', title: 'Everything', version: '1.0.0' });
      assert.match(client.getInstructions(), /A server for tests/);
      await client.listTools();
      check.assertClean();
    });

    test('is the legacy one for the same client told so', async (t) => {
      const { client, check } = await connect(t, modernClient({ era: 'legacy' }),
        { sdk: 'modern', transport, revision: '2025-11-25' });
      assert.equal(client.getProtocolEra(), 'legacy');
      assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
      await client.ping();
      assert.equal((await client.callTool({ name: 'greet', arguments: { name: 'you' } })).content[0].text, 'Hello, you!');
      check.assertClean();
    });

    test('is the legacy one for a client that knows no other', async (t) => {
      const { client, check } = await connect(t, legacyClient(), { sdk: 'legacy', transport });
      await client.ping();
      assert.deepEqual(client.getServerCapabilities(), {
        logging: {}, completions: {}, prompts: { listChanged: true }, tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      });
      assert.match(client.getInstructions(), /A server for tests/);
      check.assertClean();
    });
  });
}

for (const revision of OLD_REVISIONS) {
  test(`revision ${revision} gets messages of its own schema`, async (t) => {
    const pipe = new RawPipe(t, { revision });
    const { result } = await pipe.legacy('initialize',
      { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
    assert.equal(result.protocolVersion, revision);
    pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await pipe.legacy('ping');
    await pipe.legacy('logging/setLevel', { level: 'debug' });
    const { result: { tools } } = await pipe.legacy('tools/list', {});
    assert.ok(tools.length > 30);
    for (const name of ['test_simple_text', 'test_image_content', 'test_embedded_resource',
      'test_multiple_content_types', 'test_tool_with_logging', 'test_error_handling', 'test_resource_link']) {
      const answer = await pipe.legacy('tools/call', { name, arguments: {}, _meta: { progressToken: name } });
      assert.ok(answer.result, `${name}: ${JSON.stringify(answer)}`);
    }
    await pipe.legacy('tools/call', { name: 'test_structured_output', arguments: { numbers: [1] } });
    await pipe.legacy('tools/call', { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 7 } });
    await pipe.legacy('resources/list', {});
    await pipe.legacy('resources/templates/list', {});
    await pipe.legacy('resources/read', { uri: 'test://static-binary' });
    await pipe.legacy('resources/subscribe', { uri: 'test://watched-resource' });
    await pipe.legacy('tools/call', { name: 'test_touch_resource', arguments: {} });
    await pipe.legacy('tools/call', { name: 'test_trigger_tool_change', arguments: {} });
    await pipe.legacy('prompts/list', {});
    await pipe.legacy('prompts/get', { name: 'test_prompt_with_image' });
    await pipe.legacy('completion/complete',
      { ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'p' } });
    const missing = await pipe.legacy('resources/read', { uri: 'test://missing' });
    assert.equal(missing.error.code, -32002);
    const unknown = await pipe.legacy('no/such/method', {});
    assert.equal(unknown.error.code, -32601);
    assert.equal(pipe.check.ofMethod('notifications/resources/updated').length, 1);
    pipe.check.assertClean();
  });
}

test('an unknown revision is answered with the newest that initialize can open', async (t) => {
  const pipe = new RawPipe(t, { revision: '2025-11-25' });
  const { result } = await pipe.legacy('initialize',
    { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  assert.equal(result.protocolVersion, '2025-11-25');
  pipe.check.assertClean();
});

test('an unknown modern revision is answered with those that are known', async (t) => {
  const pipe = new RawPipe(t);
  const { error } = await pipe.modern('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } });
  assert.equal(error.code, -32022);
  assert.ok(error.data.supported.includes('2026-07-28'));
  assert.equal(error.data.requested, '2099-01-01');
  pipe.check.assertClean();
});

test('both eras share one pipe', async (t) => {
  const pipe = new RawPipe(t);
  const modern = await pipe.modern('tools/call', { name: 'greet', arguments: { name: 'new' } });
  assert.equal(modern.result.resultType, 'complete');
  const opened = await pipe.legacy('initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  assert.equal(opened.result.protocolVersion, '2025-06-18');
  const legacy = await pipe.legacy('tools/call', { name: 'greet', arguments: { name: 'old' } });
  assert.equal(legacy.result.resultType, undefined);
  const again = await pipe.modern('tools/call', { name: 'greet', arguments: { name: 'new' } });
  assert.equal(again.result.resultType, 'complete');
});
