// Good requests, and ways to spoil them a little.
import { modernRequest } from '../e2e/raw_client.mjs';

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };

// Each ends soon by itself, so that a mutant that is still valid holds up nothing.
export const SEEDS = [
  modernRequest(1, 'server/discover'),
  modernRequest(2, 'tools/list', { cursor: 'abc' }),
  modernRequest('three', 'tools/call', { name: 'greet', arguments: { name: 'x' } }),
  modernRequest(4, 'tools/call', { name: 'test_structured_output', arguments: { numbers: [1, 2.5, -3e10] } }),
  modernRequest(5, 'tools/call', { name: 'json_schema_2020_12_tool',
    arguments: { name: 'x', address: { street: 'a', city: 'b' }, contactMethod: 'email', email: 'e' } }),
  modernRequest(6, 'tools/call', { name: 'test_input_required_result_multi_round', arguments: {},
    requestState: 'eyJhIjoxfQ.c2ln', inputResponses: { step1: { action: 'accept', content: { name: 'x' } } } },
  { elicitation: { form: {} } }),
  modernRequest(7, 'resources/read', { uri: 'test://template/42/data' }),
  modernRequest(8, 'prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }),
  modernRequest(9, 'completion/complete', { ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
    argument: { name: 'arg1', value: 'p' }, context: { arguments: { arg2: 'q' } } }),
  modernRequest(10, 'tasks/get', { taskId: 'AAAAAAAAAAAAAAAAAAAAAA' },
    { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
  { jsonrpc: '2.0', id: 11, method: 'initialize', params: INITIALIZE },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3, reason: 'x' } },
  [{ jsonrpc: '2.0', id: 12, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/initialized' }],
];

const VALUES = [null, true, false, 0, -1, 1e308, -0.5, 9007199254740993, '', 'x', '\u0000', '\ud83d\ude00', 'x'.repeat(5000), [], {},
  [[]], { '': {} }, { __proto__: null, toString: 1 }, '2026-07-28', '1999-01-01', 'tools/call', 'test://', '../..', '%00', '{id}'];
const BYTES = ['"', '\\', '{', '}', '[', ']', ',', ':', '\0', '\u00ff', '\\u0000', '\\ud800', '1e999', '-', ' ', 'null', '//', '\t'];

export class Mutator {
  constructor(random) {
    this.random = random;
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  // The text of a spoilt message, without a line end.
  next() {
    const message = structuredClone(this.pick(SEEDS));
    if (this.random() < 0.5) return this.#spoilValue(message);
    return this.spoilText(JSON.stringify(message));
  }

  spoilText(given) {
    let text = given;
    for (let i = 1 + Math.floor(this.random() * 4); i > 0; --i) {
      const at = Math.floor(this.random() * text.length);
      const to = Math.min(text.length, at + 1 + Math.floor(this.random() * 20));
      text = this.pick([
        () => text.slice(0, at) + this.pick(BYTES) + text.slice(at),
        () => text.slice(0, at) + text.slice(to),
        () => text.slice(0, to) + text.slice(at),
        () => text.slice(0, at) + String.fromCharCode(Math.floor(this.random() * 256)) + text.slice(at + 1),
        () => text.slice(0, at),
      ])();
    }
    return text.replaceAll('\n', ' ');
  }

  // Replaces, removes, renames or copies a part of the message somewhere in its tree.
  #spoilValue(message) {
    for (let i = 1 + Math.floor(this.random() * 3); i > 0; --i) {
      const { holder, key } = this.pick(placesOf(message));
      this.pick([
        () => (holder[key] = this.pick(VALUES)),
        () => (Array.isArray(holder) ? holder.splice(key, 1) : delete holder[key]),
        () => (holder[`${key}${this.pick(['x', ' ', '\u0000'])}`] = holder[key]),
        () => (holder[key] = [holder[key]]),
        () => (holder[this.pick(['id', 'method', 'params', '_meta', 'result', 'error'])] = this.pick(VALUES)),
      ])();
    }
    return JSON.stringify(message);
  }
}

function placesOf(value) {
  const places = [];
  const visit = (holder) => {
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      if (holder[key] && typeof holder[key] === 'object' && places.length < 200) visit(holder[key]);
    }
  };
  visit(value);
  return places.length > 0 ? places : [{ holder: {}, key: 'x' }];
}
