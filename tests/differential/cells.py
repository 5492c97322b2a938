"""Counts answers with rows by tool, format and source."""

from collections import Counter


class Cells:
    def __init__(self, keys):
        self.keys = list(keys)
        self.full = Counter()
        self.asked = Counter()

    def add(self, key, rows):
        self.asked[key] += 1
        self.full[key] += rows > 0

    def short(self, least):
        return {key: least - self.full[key] for key in self.keys if self.full[key] < least}

    def table(self):
        """A line for each tool and format, a column for each source: answers with rows / all."""
        sources = list(dict.fromkeys(key[2] for key in self.keys))
        lines = ["".join([f"{'tool':<24}{'format':<9}", *(f"{source:>12}" for source in sources)])]
        for tool, form in dict.fromkeys(key[:2] for key in self.keys):
            cells = [(tool, form, source) for source in sources]
            counts = "".join(f"{f'{self.full[key]}/{self.asked[key]}' if self.asked[key] else '':>12}" for key in cells)
            lines.append(f"{tool:<24}{form:<9}{counts}")
        return "\n".join(lines)
