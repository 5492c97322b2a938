"""Counts tokens as a model would: the o200k tokenizer in a Node process, started when it is first needed."""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / ".deps"


class Tokenizer:
    def __init__(self):
        self.process = None

    def count(self, text):
        if self.process is None:
            self.process = subprocess.Popen(
                [TOOLS / "node/bin/node", HERE / "count_tokens.mjs", TOOLS / "npm"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


TOKENIZER = Tokenizer()  # Its process ends with this one, when its input is closed.
