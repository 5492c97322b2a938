#!/usr/bin/env python3
"""The comparison finds every kind of break, and lets additions and declared breaks pass."""

import copy
import unittest

from compatibility import declared, undeclared
from declarations import declarations
from surface import additions, breaks

BEFORE = {
    "tools": {"lean/query": {"arguments": {"sql": {"type": "string"}, "form": {"type": "string", "enum": ["csv", "json"]}},
                             "required": ["sql"], "answer": ["rows"]}},
    "configuration": {"http": ["text"], "limits": ["map"]},
    "headers": {"sluice/base/a.h": ["sluice int f(int a)", "sluice struct A"]},
}

HEADER = """#pragma once
namespace sluice::base {
// A comment; with { braces.
enum class Kind : int { kOne, kTwo };
class Thing : public Other {
 public:
  Thing() = default;
  explicit Thing(int size) : size_(size) {}
  int size() const { return size_; }  // In a body: { }
  static Result<Thing> make(const std::string& text, int bound = 3, Options o = {});
 private:
  void hidden();
  int size_;
};
struct Options { int rows = 1; std::string name = "{;}"; };
template <typename T> T twice(T value) { return value + value; }
inline constexpr int kMax = 3;
}
"""


class Comparison(unittest.TestCase):
    def subjects(self, change):
        now = copy.deepcopy(BEFORE)
        change(now)
        return [subject for subject, _ in breaks(BEFORE, now)]

    def test_the_same_breaks_nothing(self):
        self.assertEqual(self.subjects(lambda now: None), [])

    def test_every_kind_of_break_is_found(self):
        query = lambda now: now["tools"]["lean/query"]
        self.assertEqual(self.subjects(lambda now: now["tools"].clear()), ["query"])
        self.assertEqual(self.subjects(lambda now: query(now)["arguments"].pop("sql")), ["query.sql"])
        self.assertEqual(self.subjects(lambda now: query(now)["arguments"]["sql"].update(type="array")), ["query.sql"])
        self.assertEqual(self.subjects(lambda now: query(now)["arguments"]["form"]["enum"].remove("csv")), ["query.form"])
        self.assertEqual(self.subjects(lambda now: query(now)["required"].append("form")), ["query.form"])
        self.assertEqual(self.subjects(lambda now: query(now)["answer"].clear()), ["query.rows"])
        self.assertEqual(self.subjects(lambda now: now["configuration"].pop("http")), ["http"])
        self.assertEqual(self.subjects(lambda now: now["configuration"].update(http=["count"])), ["http"])
        self.assertEqual(self.subjects(lambda now: now["headers"].clear()), ["sluice/base/a.h"])
        self.assertEqual(self.subjects(lambda now: now["headers"].update({"sluice/base/a.h": ["sluice struct A"]})), ["sluice/base/a.h"])

    def test_additions_break_nothing(self):
        now = copy.deepcopy(BEFORE)
        now["tools"]["lean/new"] = {"arguments": {}, "required": [], "answer": []}
        now["tools"]["lean/query"]["arguments"]["limit"] = {"type": "integer"}
        now["tools"]["lean/query"]["arguments"]["form"]["enum"].append("arrow")
        now["tools"]["lean/query"]["required"] = []
        now["configuration"]["new"] = ["text"]
        now["configuration"]["http"] = ["map", "text"]
        now["headers"]["sluice/base/a.h"].append("sluice struct B")
        self.assertEqual(breaks(BEFORE, now), [])
        self.assertEqual(additions(BEFORE, now), 5)

    def test_a_break_passes_if_the_changelog_names_it_under_its_heading(self):
        changelog = "## [Unreleased]\n### Added\n- `other`\n### Breaking\n- `query.sql` is gone.\n### Fixed\n- `x`\n## [0.1.0]\n### Breaking\n- `old`\n"
        self.assertEqual(declared(changelog), {"query.sql"})
        self.assertEqual(undeclared([("query.sql", ""), ("http", "")], declared(changelog)), [("http", "")])
        self.assertEqual(declared("## [Unreleased]\n### Added\n- `a`\n"), set())

    def test_declarations_are_what_users_see(self):
        found = declarations(HEADER)
        for wanted in ["sluice::base::Thing explicit Thing(int size)", "sluice::base::Thing Thing()=default", "sluice::base::Kind kOne", "sluice::base::Kind kTwo", "sluice::base::Thing int size()const",
                       "sluice::base::Thing static Result<Thing>make(const std::string&text,int bound=3,Options o={})", "sluice::base::Options int rows",
                       "sluice::base template<typename T>T twice(T value)", "sluice::base inline constexpr int kMax"]:
            self.assertIn(wanted, found)
        self.assertFalse([each for each in found if "hidden" in each or "size_" in each], found)

    def test_declarations_do_not_depend_on_layout_and_comments(self):
        other = HEADER.replace("int size() const {", "int\n      size()  const\n  {").replace("// A comment; with { braces.", "/* ; } */")
        self.assertEqual(declarations(other), declarations(HEADER))


unittest.main()
