// Checks every message of a server against the JSON schema of its revision.
import { readFileSync } from 'node:fs';

import { npmPackage } from './npm_package.mjs';

const RESULT_OF = {
  'initialize': 'InitializeResult',
  'ping': 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
};

const schemas = new Map();

function schemaOf(revision) {
  if (!schemas.has(revision)) schemas.set(revision, new Schema(revision));
  return schemas.get(revision);
}

class Schema {
  constructor(revision) {
    const text = readFileSync(new URL(`../data/mcp-schema/${revision}.json`, import.meta.url), 'utf8');
    const document = JSON.parse(text);
    this.section = document.$defs ? '$defs' : 'definitions';
    this.definitions = document[this.section];
    const isNew = document.$schema.includes('2020-12');
    const { default: Ajv } = npmPackage(isNew ? 'ajv/dist/2020.js' : 'ajv');
    this.ajv = new Ajv({ strict: false, allErrors: true });
    npmPackage('ajv-formats')(this.ajv);
    this.ajv.addSchema(document, 'mcp');
    this.byMethod = new Map();
    for (const [name, definition] of Object.entries(this.definitions)) {
      const method = definition.properties?.method?.const;
      if (method && /(Notification|Request)$/.test(name)) this.byMethod.set(method, name);
    }
  }

  // What is wrong with `value` as the definition called `name`; undefined if nothing is.
  problem(name, value) {
    if (!this.definitions[name]) return `the schema has no definition ${name}`;
    const validate = this.ajv.getSchema(`mcp#/${this.section}/${name}`);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors, { dataVar: name });
  }

  oneOf(...names) {
    return names.find((name) => this.definitions[name]);
  }
}

// Follows one connection. Tell it what is sent, so that it knows which result a response must be.
export class SchemaCheck {
  constructor(revision) {
    this.schema = schemaOf(revision);
    this.revision = revision;
    this.methods = new Map();  // Of requests by their id.
    this.problems = [];
    this.received = [];
  }

  sent(message) {
    for (const one of [message].flat()) {
      if (one.method !== undefined && one.id !== undefined) this.methods.set(one.id, one.method);
    }
  }

  receivedText(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.problems.push(`not JSON: ${error.message}: ${text.slice(0, 200)}`);
      return;
    }
    for (const one of [message].flat()) this.#receivedOne(one);
  }

  // Messages with this method, or responses to requests with it.
  ofMethod(method) {
    return this.received.filter((one) => one.method === method || this.methods.get(one.id) === method);
  }

  // Throws if a message was wrong, or none came: a tap that sees nothing proves nothing.
  assertClean() {
    if (this.problems.length > 0) throw new Error(`messages against the schema of ${this.revision}:\n${
      this.problems.join('\n')}`);
    if (this.received.length === 0) throw new Error('no message was seen on this connection');
  }

  #receivedOne(message) {
    this.received.push(message);
    const envelope = this.schema.problem('JSONRPCMessage', message);
    const problem = envelope ?? this.#bodyProblem(message);
    if (problem) this.problems.push(`${problem}: ${JSON.stringify(message).slice(0, 1000)}`);
  }

  #bodyProblem(message) {
    if (message.method !== undefined) {
      const name = this.schema.byMethod.get(message.method);
      if (name) return this.schema.problem(name, message);
      // An extension, which the schema of the core does not describe.
      return message.method === 'notifications/tasks' ? undefined : `a method of no revision: ${message.method}`;
    }
    if (message.error !== undefined)
      return this.schema.problem(this.schema.oneOf('JSONRPCErrorResponse', 'JSONRPCError'), message);
    const method = this.methods.get(message.id);
    if (method === undefined) return `a response to a request that was not sent: ${message.id}`;
    if (method.startsWith('tasks/') || message.result.resultType === 'task') return undefined;  // The extension.
    if (message.result.resultType === 'input_required')
      return this.schema.problem('InputRequiredResult', message.result);
    return this.schema.problem(RESULT_OF[method], message.result);
  }
}
