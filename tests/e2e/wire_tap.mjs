// Shows a SchemaCheck the bytes that pass between a client of the official SDK and a server.

// For the `fetch` option of an HTTP transport: bodies are observed while the client reads them, never buffered ahead,
// so that a client which lets go of a stream still closes the connection.
export function tappedFetch(check, bearer = fetch) {
  return async (url, init = {}) => {
    if (typeof init.body === 'string') check.sent(JSON.parse(init.body));
    const response = await bearer(url, init);
    if (!response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    const reader = type.startsWith('text/event-stream') ? new EventReader(check) : new BodyReader(check, type);
    const observed = response.body.pipeThrough(new TransformStream({
      transform(chunk, controller) {
        reader.add(chunk);
        controller.enqueue(chunk);
      },
      flush: () => reader.end(),
    }));
    return new Response(observed, { status: response.status, headers: response.headers });
  };
}

// For a StdioClientTransport of either SDK.
export function tapStdio(transport, check) {
  const start = transport.start.bind(transport);
  const send = transport.send.bind(transport);
  transport.start = async () => {
    await start();
    const output = transport._process?.stdout;
    if (!output) throw new Error('the SDK keeps its child process elsewhere than in _process: adapt this tap');
    const reader = new LineReader(check);
    output.on('data', (chunk) => reader.add(chunk));
  };
  transport.send = (message, options) => {
    check.sent(message);
    return send(message, options);
  };
  return transport;
}

class LineReader {
  constructor(check) {
    this.check = check;
    this.decoder = new TextDecoder('utf-8', { fatal: true });
    this.rest = '';
  }

  add(chunk) {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n');
    this.rest = lines.pop();
    lines.forEach((line) => this.line(line));
  }

  line(text) {
    this.check.receivedText(text);
  }
}

class EventReader extends LineReader {
  data = [];

  line(text) {
    if (text.startsWith('data:')) this.data.push(text.slice(5).replace(/^ /, ''));
    if (text !== '') return;
    const whole = this.data.join('\n');
    this.data = [];
    if (whole !== '') this.check.receivedText(whole);  // An event without data only gives the client an id.
  }

  end() {}
}

class BodyReader {
  constructor(check, type) {
    this.check = check;
    this.type = type;
    this.chunks = [];
  }

  add(chunk) {
    this.chunks.push(chunk);
  }

  end() {
    const text = Buffer.concat(this.chunks).toString();
    if (text === '') return;
    if (this.type.startsWith('application/json')) this.check.receivedText(text);
    else this.check.problems.push(`a body that is neither JSON nor events: ${this.type}: ${text.slice(0, 200)}`);
  }
}
