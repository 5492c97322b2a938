"""Asks the program edit_texts, which edits configuration files as `sluice setup` does."""

import subprocess


class Refused(Exception):
    pass


class EditProcess:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, host, verb, text, name="sluice"):
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        self.process.stdin.write(f"{host} {verb} {name} {len(data)}\n".encode() + data)
        self.process.stdin.flush()
        state, size = self.process.stdout.readline().decode().split()
        answer = self.process.stdout.read(int(size)).decode("utf-8", "replace")
        if state != "ok":
            raise Refused(answer)
        return answer

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=10)


def is_subsequence(part, whole):
    remaining = iter(whole)
    return all(character in remaining for character in part)


def without_spaces(text):
    return "".join(text.split())


def mutate(random, text):
    """Breaks a text in one or two places."""
    for _ in range(random.randint(1, 2)):
        at = random.randint(0, len(text))
        pick = random.random()
        if pick < 0.4:
            text = text[:at] + text[at + random.randint(1, 3):]
        elif pick < 0.8:
            text = text[:at] + random.choice(list("{}[]\",:#=.\\'/*\n\r\t -_0e1u+x\x00\x7fé")) + text[at:]
        else:
            end = min(len(text), at + random.randint(1, 20))
            text = text[:at] + text[at:end] * 2 + text[end:]
    return text
