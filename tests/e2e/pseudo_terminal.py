"""Runs a command on a pseudo terminal and says what the terminal was sent.

Usage: pseudo_terminal.py COLUMNS PATTERN COMMAND [ARGUMENT]...
Presses Ctrl-C once the output matches PATTERN (empty: never). Prints JSON: output, status, and the seconds from Ctrl-C, or from the beginning, to the end.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SECONDS_MAX = 60


def main():
    columns, pattern, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(master)
        os.login_tty(slave) if hasattr(os, "login_tty") else take_terminal(slave)
        os.execv(command[0], command)
    os.close(slave)
    output, is_pressed, since = b"", False, time.monotonic()
    end = since + SECONDS_MAX
    while True:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            raise SystemExit(f"the command did not end; it wrote {output!r}")
        readable, _, _ = select.select([master], [], [], 0.5)
        if not readable:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:  # Nobody has the terminal open any more.
            break
        if not data:
            break
        output += data
        if pattern and not is_pressed and re.search(pattern, output.decode(errors="replace")):
            os.write(master, b"\x03")
            is_pressed, since = True, time.monotonic()
    _, status = os.waitpid(child, 0)
    json.dump({"output": output.decode(errors="replace"), "status": os.waitstatus_to_exitcode(status),
               "seconds": time.monotonic() - since}, sys.stdout)


def take_terminal(slave):
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(slave, descriptor)


main()
