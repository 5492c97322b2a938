"""The program under test: one process that answers JSON-RPC lines on its pipes, several questions at a time."""

import json
import os
import re
import selectors
import subprocess
import tempfile
import time
from decimal import Decimal

ANSWER_SECONDS_MAX = 60
IN_FLIGHT_MAX = 12
TEXT_TOOLS = ("query", "catalog", "describe")  # Their answers are text for reading, not JSON.


def to_json(value):
    """JSON text that keeps the digits of a Decimal."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(k))}:{to_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(to_json, value)) + "]"
    return json.dumps(value)


def from_json(text):
    return json.loads(text, parse_float=Decimal)


def message_of(line):
    """A line of the server. One that is not JSON becomes an error for the request that it answers."""
    try:
        return from_json(line)
    except ValueError as error:
        found = re.search(rb'"id":(\d+)', line)
        if not found:
            raise ServerDied(f"a line that is not JSON: {line[:500]!r}") from None
        text = line.decode("utf-8", "replace")[:2000]
        return {"id": int(found.group(1)), "error": {"code": "not_json", "message": f"{error}: {text}"}}


class ServerDied(Exception):
    pass


class ToolError(Exception):
    """The answer is an error. `body` is what it says."""

    def __init__(self, body):
        super().__init__(to_json(body)[:2000])
        self.body = body


class Server:
    def __init__(self, program, config, log_level="warning"):
        self.log = tempfile.TemporaryFile("a+b")  # Both processes share its position; appending needs none.
        self.process = subprocess.Popen([program, "serve", config], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env={**os.environ, "LOG_LEVEL": log_level, "TZ": "UTC"})
        self.next_id = 0
        self.buffer = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        os.set_blocking(self.process.stdout.fileno(), False)
        first = self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                         "clientInfo": {"name": "differential", "version": "1"}})
        while self.receive()[0] != first:
            pass
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        try:
            self.process.stdin.write(to_json(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ServerDied(self.last_words()) from None

    def log_text(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def last_words(self):
        self.log.seek(max(0, self.log.seek(0, 2) - 2000))
        return f"the server ended ({self.process.poll()}): " + self.log.read().decode("utf-8", "replace")

    def send(self, method, params):
        self.next_id += 1
        self.write({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def receive(self):
        """The id and the message of the next answer."""
        deadline = time.monotonic() + ANSWER_SECONDS_MAX
        while True:
            line, found, rest = self.buffer.partition(b"\n")
            if found:
                self.buffer = rest
                message = message_of(line)
                if "id" in message and "method" not in message:
                    return message["id"], message
                continue
            if not self.selector.select(deadline - time.monotonic()):
                raise ServerDied("no answer in time: " + self.last_words())
            chunk = self.process.stdout.read()
            if not chunk:
                raise ServerDied(self.last_words())
            self.buffer += chunk

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.selector.close()
        self.log.close()


def call(tool, arguments):
    """A request that a case yields; what it gets back is the answer's object."""
    return "tools/call", {"name": tool, "arguments": arguments}


def read_resource(uri):
    return "resources/read", {"uri": uri}


def body_of(request, message):
    """The object that an answer holds; the whole result of a tool that answers in text."""
    method, params = request
    if "error" in message:
        raise ToolError(message["error"])
    result = message["result"]
    if result.get("isError"):
        text = result["content"][0]["text"]
        raise ToolError(from_json(text) if text.startswith("{") else {"text": text})
    if method != "tools/call" or params["name"] in TEXT_TOOLS:
        return result
    return from_json(result["content"][0]["text"])


def run_cases(server, cases, finished, in_flight=IN_FLIGHT_MAX, is_wanted=None):
    """Runs generators that yield requests, several at a time. Calls `finished(case, error)` for each.

    `is_wanted(case)` is asked when the first request of a case is ready: the others are left out."""
    cases = iter(cases)
    waiting = {}

    def advance(case, steps, asked, message):
        try:
            if asked is None:
                request = next(steps)
                if is_wanted and not is_wanted(case):
                    return steps.close()
            else:
                try:
                    body = body_of(asked, message)
                except ToolError as error:
                    request = steps.throw(error)
                else:
                    request = steps.send(body)
        except StopIteration:
            finished(case, None)
        except ServerDied:
            raise
        except Exception as error:  # Whatever a case finds wrong is reported with the case.
            finished(case, error)
        else:
            waiting[server.send(*request)] = (case, steps, request)

    exhausted = False
    while True:
        while not exhausted and len(waiting) < in_flight:
            case = next(cases, None)
            if case is None:
                exhausted = True
            else:
                advance(case, case.steps(), None, None)
        if not waiting:
            return
        try:
            number, message = server.receive()
        except ServerDied as error:
            pending = "\n".join(to_json(request[1])[:500] for _, _, request in waiting.values())
            raise ServerDied(f"{error}\nunanswered:\n{pending}") from None
        case, steps, request = waiting.pop(number)
        advance(case, steps, request, message)
