import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { WAYS } from './connection.mjs';
import { until } from './waiting.mjs';

const text = (result) => result.content[0].text;

for (const way of WAYS) {
  describe(`tools, ${way.name}`, () => {
    test('are listed with their schemas, annotations and icons', async (t) => {
      const { client, check } = await way.connect(t);
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      assert.deepEqual(names, [...names].sort(), 'the order is stable');
      const statistics = tools.find(({ name }) => name === 'test_structured_output');
      assert.equal(statistics.title, 'Sum and mean');
      assert.deepEqual(statistics.inputSchema.required, ['numbers']);
      assert.deepEqual(statistics.outputSchema.required, ['sum', 'mean']);
      assert.equal(statistics.annotations.readOnlyHint, true);
      assert.equal(statistics.annotations.destructiveHint, false);
      assert.equal(statistics.icons[0].mimeType, 'image/svg+xml');
      check.assertClean();
    });

    test('answer with every type of content', async (t) => {
      const { client, check } = await way.connect(t);
      const call = async (name) => (await client.callTool({ name, arguments: {} })).content;
      assert.deepEqual(await call('test_simple_text'),
        [{ type: 'text', text: 'This is a simple text response for testing.' }]);
      const [image] = await call('test_image_content');
      assert.equal(image.mimeType, 'image/png');
      assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
      const [audio] = await call('test_audio_content');
      assert.equal(audio.mimeType, 'audio/wav');
      assert.equal(Buffer.from(audio.data, 'base64').subarray(0, 4).toString(), 'RIFF');
      const [embedded] = await call('test_embedded_resource');
      assert.equal(embedded.resource.uri, 'test://embedded-resource');
      assert.deepEqual((await call('test_multiple_content_types')).map(({ type }) => type),
        ['text', 'image', 'resource']);
      const link = (await call('test_resource_link'))[1];
      assert.deepEqual([link.type, link.uri, link.size], ['resource_link', 'test://static-text', 48]);
      check.assertClean();
    });

    test('answer with structured output that fits the declared schema', async (t) => {
      const { client, check } = await way.connect(t);
      await client.listTools();  // From here the client itself checks the output against the schema.
      const result = await client.callTool({ name: 'test_structured_output', arguments: { numbers: [1, 2.5, 4] } });
      assert.deepEqual(result.structuredContent, { sum: 7.5, mean: 2.5 });
      assert.deepEqual(JSON.parse(text(result)), result.structuredContent);
      check.assertClean();
    });

    test('report their progress in order', async (t) => {
      const { client, check } = await way.connect(t);
      const seen = [];
      const result = await client.callTool({ name: 'test_tool_with_progress', arguments: {} },
        ...options(way, { onprogress: (progress) => seen.push(progress) }));
      assert.equal(text(result), 'Tool with progress executed successfully');
      const sent = check.received.slice(-4);  // The answer is the last.
      assert.deepEqual(sent.map(({ params }) => params && [params.progress, params.total]),
        [[0, 100], [50, 100], [100, 100], undefined]);
      // The SDK drops a notification that arrives together with the answer, so the last one may be missing here.
      assert.deepEqual(seen.slice(0, 2).map(({ message }) => message),
        ['Completed step 0 of 100', 'Completed step 50 of 100']);
      check.assertClean();
    });

    test('stop when their call is cancelled, and the connection goes on', async (t) => {
      const { client, check } = await way.connect(t);
      const abort = new AbortController();
      const call = client.callTool({ name: 'test_wait', arguments: {} },
        ...options(way, { signal: abort.signal, onprogress: () => abort.abort('changed my mind') }));
      await assert.rejects(call, /changed my mind|abort/i);
      const after = await client.callTool({ name: 'test_simple_text', arguments: {} });
      assert.match(text(after), /simple text/);
      assert.equal(check.ofMethod('tools/call').length, 1, 'a cancelled call has no answer');
      check.assertClean();
    });

    test('report a failure as a result, and a wrong call as an error', async (t) => {
      const { client, check } = await way.connect(t);
      const failed = await client.callTool({ name: 'test_error_handling', arguments: {} });
      assert.equal(failed.isError, true);
      assert.match(text(failed), /intentionally returns an error/);
      const wrong = await client.callTool({ name: 'test_structured_output', arguments: { numbers: 'many' } });
      assert.equal(wrong.isError, true, 'a model can correct its arguments, so they are no protocol error');
      assert.match(text(wrong), /numbers/);
      await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }),
        (error) => error.code === -32602 && /no_such_tool/.test(error.message));
      check.assertClean();
    });

    test('run side by side', async (t) => {
      const { client, check } = await way.connect(t);
      const names = Array.from({ length: 20 }, (_, i) => `caller ${i}`);
      const results = await Promise.all(names.map((name) => client.callTool({ name: 'greet', arguments: { name } })));
      assert.deepEqual(results.map(text), names.map((name) => `Hello, ${name}!`));
      check.assertClean();
    });

    test('keep text in every script as it is', async (t) => {
      const { client, check } = await way.connect(t);
      const name = 'Zoë 漢字 🜁 \u2028 "\\/\b\f\n\r\t\u0001 \u{10ffff}';
      assert.equal(text(await client.callTool({ name: 'greet', arguments: { name } })), `Hello, ${name}!`);
      check.assertClean();
    });

    test('send log messages to a caller who wants them', async (t) => {
      const { client, check } = await way.connect(t);
      const call = { name: 'test_tool_with_logging', arguments: {} };
      if (way.sdk === 'legacy') await client.setLoggingLevel('info');
      else call._meta = { 'io.modelcontextprotocol/logLevel': 'info' };
      await client.callTool(call);
      await until('all log messages came', () => check.ofMethod('notifications/message').length === 3);
      assert.deepEqual(check.ofMethod('notifications/message').map(({ params }) => [params.level, params.data]),
        [['info', 'Tool execution started'], ['info', 'Tool processing data'], ['info', 'Tool execution completed']]);
      check.assertClean();
    });

    test('send no log messages below the level that the caller wants', async (t) => {
      const { client, check } = await way.connect(t);
      const call = { name: 'test_tool_with_logging', arguments: {} };
      if (way.sdk === 'legacy') await client.setLoggingLevel('error');
      else call._meta = { 'io.modelcontextprotocol/logLevel': 'error' };
      await client.callTool(call);
      assert.equal(check.ofMethod('notifications/message').length, 0);
      check.assertClean();
    });

    test('receive the metadata of their request', async (t) => {
      const { client, check } = await way.connect(t);
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const result = await client.callTool({ name: 'test_echo_meta', arguments: {}, _meta: { traceparent } });
      assert.equal(result.structuredContent.traceparent, traceparent);
      assert.equal(result._meta.traceparent, traceparent);
      check.assertClean();
    });

    test('take arguments that are mirrored in HTTP headers', async (t) => {
      const { client, check } = await way.connect(t);
      await client.listTools();  // From here the client knows which arguments to mirror.
      const result = await client.callTool(
        { name: 'test_header_parameters', arguments: { region: 'Zürich', shard: 7, dry: false } });
      assert.equal(text(result), 'region=Zürich');
      check.assertClean();
    });
  });
}

// The legacy SDK takes a result schema before the options.
function options(way, given) {
  return way.sdk === 'legacy' ? [undefined, given] : [given];
}
