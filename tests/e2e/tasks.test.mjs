// The tasks extension of the modern era. The official clients do not speak it yet, so the requests are ours.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startHttp } from './connection.mjs';
import { RawHttp, RawPipe, TASKS, modernRequest } from './raw_client.mjs';
import { until } from './waiting.mjs';

const OPENERS = {
  stdio: async (t) => new RawPipe(t),
  http: async (t) => new RawHttp(await startHttp(t)),
};

const callTool = (link, name, args = {}) => link.modern('tools/call', { name, arguments: args }, TASKS);
const getTask = async (link, taskId) => (await link.modern('tasks/get', { taskId }, TASKS)).result;

function listen(t, link, notifications) {
  if (link instanceof RawHttp) return link.listen(t, { notifications }, TASKS);
  const id = link.nextId++;
  link.send(modernRequest(id, 'subscriptions/listen', { notifications }, TASKS));
  return id;
}

for (const [transport, open] of Object.entries(OPENERS)) {
  describe(`tasks over ${transport}`, () => {
    test('are created, polled and completed', async (t) => {
      const link = await open(t);
      const { result: created } = await callTool(link, 'slow_compute', { seconds: 0.2, label: 'pi' });
      assert.equal(created.resultType, 'task');
      assert.equal(created.status, 'working');
      assert.match(created.taskId, /^[\w-]{16,}$/);
      const done = await until('the task has ended', async () => {
        const task = await getTask(link, created.taskId);
        return task.status === 'working' ? undefined : task;
      });
      assert.equal(done.status, 'completed');
      assert.equal(done.result.content[0].text, 'Computed pi');
      link.check.assertClean();
    });

    test('ask their client, and go on with the answer', async (t) => {
      const link = await open(t);
      const { result: created } = await link.modern('tools/call',
        { name: 'confirm_delete', arguments: { filename: 'a.txt' } }, { ...TASKS, elicitation: { form: {} } });
      const asking = await until('the task asks', async () => {
        const task = await getTask(link, created.taskId);
        return task.status === 'input_required' ? task : undefined;
      });
      const [[key, question]] = Object.entries(asking.inputRequests);
      assert.equal(question.method, 'elicitation/create');
      assert.equal(question.params.message, 'Delete a.txt?');
      await link.modern('tasks/update', {
        taskId: created.taskId,
        inputResponses: { [key]: { action: 'accept', content: { confirm: true } } },
      }, TASKS);
      const done = await until('the task has ended', async () => {
        const task = await getTask(link, created.taskId);
        return task.status === 'completed' ? task : undefined;
      });
      assert.equal(done.result.content[0].text, 'Deleted a.txt');
      link.check.assertClean();
    });

    test('can be cancelled', async (t) => {
      const link = await open(t);
      const { result: created } = await callTool(link, 'slow_compute', { seconds: 600 });
      await link.modern('tasks/cancel', { taskId: created.taskId }, TASKS);
      await until('the task is cancelled', async () => (await getTask(link, created.taskId)).status === 'cancelled');
      link.check.assertClean();
    });

    test('tell a listener when their status changes', async (t) => {
      const link = await open(t);
      const { result: created } = await callTool(link, 'slow_compute', { seconds: 600 });
      await listen(t, link, { taskIds: [created.taskId] });
      await until('the subscription is acknowledged',
        () => link.check.ofMethod('notifications/subscriptions/acknowledged').length === 1);
      await link.modern('tasks/cancel', { taskId: created.taskId }, TASKS);
      const [{ params }] = await until('the notification came', () => {
        const seen = link.check.ofMethod('notifications/tasks');
        return seen.length > 0 ? seen : undefined;
      });
      assert.equal(params.taskId, created.taskId);
      assert.equal(params.status, 'cancelled');
      link.check.assertClean();
    });

    test('are only for clients that know them', async (t) => {
      const link = await open(t);
      const refused = await link.modern('tools/call', { name: 'failing_job', arguments: {} });
      assert.equal(refused.error.code, -32021);
      assert.deepEqual(refused.error.data.requiredCapabilities, TASKS);
      const unknown = await link.modern('tasks/get', { taskId: 'AAAAAAAAAAAAAAAAAAAAAA' }, TASKS);
      assert.equal(unknown.error.code, -32602);
      link.check.assertClean();
    });
  });
}
