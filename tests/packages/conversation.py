"""What a host says to the program over stdio, in both eras of the protocol, and what must come back."""

import json
import signal
import subprocess
import sys
import threading
import time

SECONDS = 60
TERMINATED_WITHIN_S = 2
SQL = "SELECT sum(n) AS total FROM numbers"
CSV = "n\n40\n2\n"
ANSWER = "42"
LATEST = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": {"name": "smoke", "version": "0"}}}


class Host:
    """The program as a host runs it. Whatever hangs is killed, and then the pipe ends."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()
        self.watchdog = threading.Timer(SECONDS, self.process.kill)
        self.watchdog.start()
        self.requests = 0

    def fail(self, message):
        self.process.kill()
        self.process.wait()
        self.watchdog.cancel()
        self.reader.join(timeout=TERMINATED_WITHIN_S)  # What the program started may live on and hold the pipe.
        sys.exit(f"{message}\n{' '.join(self.process.args[-4:])} wrote to stderr: {''.join(self.log)[-2000:]!r}")

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.fail("the program does not read its input any more")

    def request(self, method, **params):
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": params})
        for line in iter(self.process.stdout.readline, ""):
            reply = json.loads(line)
            if reply.get("id") == self.requests:
                return reply.get("result") or self.fail(f"{method}: {reply}")
        return self.fail(f"{method}: the program ended instead of answering")

    def ask(self, sql=SQL, **common):
        names = [tool["name"] for tool in self.request("tools/list", **common)["tools"]]
        if "query" not in names:
            self.fail(f"tools/list names {names}")
        reply = self.request("tools/call", name="query", arguments={"sql": sql}, **common)
        if reply.get("isError") or ANSWER not in json.dumps(reply["content"]):
            self.fail(f"the question was answered with {reply}")

    def initialize(self):
        self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "smoke", "version": "0"})
        self.send({"method": "notifications/initialized"})

    def end(self):
        """The end of the input ends the program with 0."""
        self.process.stdin.close()
        self.finish("the end of its input", SECONDS)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        self.finish("SIGTERM", TERMINATED_WITHIN_S)

    def finish(self, cause, seconds):
        begun = time.monotonic()
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"{cause} does not end the program within {seconds} s")
        self.watchdog.cancel()
        self.reader.join()
        if status != 0:
            self.fail(f"{cause} ended the program with {status} after {time.monotonic() - begun:.1f} s")


def converse(command, **options):
    """Both eras, the end of the input, and SIGTERM. The command serves a folder with numbers.csv."""
    host = Host(command, **options)
    host.initialize()
    host.ask()
    host.end()
    host = Host(command, **options)
    host.ask(**LATEST)
    host.end()
    host = Host(command, **options)
    host.initialize()
    host.terminate()
