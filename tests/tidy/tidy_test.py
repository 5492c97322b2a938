#!/usr/bin/env python3
"""Tests of tidy.py: a good tree has no finding, and each way to spoil it gives exactly the finding it should."""

import tempfile
import unittest
from pathlib import Path

import class_size
import cpp_text
import language
import tidy
import unnamed_namespaces

GOOD = {
    "CMakeLists.txt": "find_package(fmt 9 REQUIRED)\n",
    "Makefile": "all:\n\t@true\n",
    "docs/DEPENDENCIES.md": "| dependency | version |\n|---|---|\n| fmt (`fmt`) | 9 |\n| `ajv` | 8 |\n",
    "docs/ARCHITECTURE.md": "`src/fs/watch.cc`, `fs/watch.h` serve `resources/read` as `text/plain`, see `src/fs/`.\n",
    "scripts/npm/package.json": '{\n  "dependencies": { "ajv": "8.0.0" }\n}\n',
    "src/fs/CMakeLists.txt": "sluice_module(NAME fs SOURCES watch.cc deep/inner.cc)\n",
    "src/fs/watch.cc": '#include <sys/inotify.h>\n\n#include "sluice/fs/watch.h"\nint fd = ::open("x", 0);\n',
    "src/fs/deep/inner.cc": "#include <fmt/format.h>\n",
    "src/fs/include/sluice/fs/watch.h": "#pragma once\n\n#include <string>\n",
    "tests/unit/fs/CMakeLists.txt": "sluice_test(NAME fs_test SOURCES watch_test.cc)\n",
    "tests/unit/fs/watch_test.cc": "#include <gtest/gtest.h>\n\nauto now = std::chrono::steady_clock::now();\n",
    "tests/fuzz/corpus/json/one": "a\tb \r\n",
}


def findings(changes):
    """What tidy says of the good tree after some files were changed, added, or (None) removed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **changes}.items():
            if text is not None:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
        return tidy.findings(folder)


class TidyTest(unittest.TestCase):
    def expect(self, changes, *beginnings):
        found = findings(changes)
        self.assertEqual(len(found), len(beginnings), found)
        for beginning in beginnings:
            self.assertTrue(any(line.startswith(beginning) for line in found), (beginning, found))

    def spoil(self, name, line):
        """The good tree with one more line at the end of a file, and where that line is."""
        return {name: GOOD[name] + line + "\n"}, GOOD[name].count("\n") + 1

    def expect_line(self, name, line, what):
        changes, number = self.spoil(name, line)
        self.expect(changes, f"{name}:{number}: {what}")

    def test_a_good_tree_has_no_finding(self):
        self.assertEqual(findings({}), [])

    def test_finds_bad_layout(self):
        self.expect_line("src/fs/watch.cc", "\tint x;", "a tab")
        self.expect_line("src/fs/watch.cc", "int x; ", "spaces at the end")
        self.expect_line("src/fs/watch.cc", "int x;\r", "the line ends with CR LF")
        self.expect({"docs/NEW.md": "one line"}, "docs/NEW.md:1: the last line has no end")

    def test_finds_leftovers(self):
        for word in ("TODO", "FIXME", "XXX", "HACK"):
            self.expect_line("src/fs/watch.cc", f"// {word}: later", "a note of unfinished work")
            self.expect_line("Makefile", f"# {word}", "a note of unfinished work")
        self.assertEqual(findings(self.spoil("src/fs/watch.cc", 'auto name = "file.XXXXXX";')[0]), [])

    def test_finds_paths_out_of_the_repository(self):
        self.expect_line("docs/ARCHITECTURE.md", "See ../shared/x.", "a path out of the repository")
        for name in ("tests/fuzz/corpus/json/two", "tests/e2e/fixtures/a.bin", "examples/hello/notes", "LICENSE.old"):
            self.expect({name: "a\n../shared/x\n"}, f"{name}:2: a path out of the repository")

    def test_finds_private_codes(self):
        for line in ("// V7: where requests go", "TEST(V7_Address, IsRefused) {", "// Attacks (V7).", "// See V7, V15."):
            self.expect_line("src/fs/watch.cc", line, "a private code")
        self.assertEqual(findings(self.spoil("src/fs/watch.cc", "Address::V4 four{};")[0]), [])

    def test_finds_vague_names(self):
        for name in ("docs/utils.md", "docs/json_helpers.md", "docs/common/x.md"):
            self.expect({name: "text\n"}, f"{name}:1: ")

    def test_finds_long_files(self):
        self.expect({"src/fs/watch.cc": "\n" * 401}, "src/fs/watch.cc:401: 401 lines")
        self.assertEqual(findings({"src/fs/watch.cc": "\n" * 400}), [])
        self.expect({"tests/unit/fs/watch_test.cc": "\n" * 601}, "tests/unit/fs/watch_test.cc:601: 601 lines")
        self.assertEqual(findings({"tests/unit/fs/watch_test.cc": "\n" * 600}), [])

    def test_finds_bad_headers(self):
        header = "src/fs/include/sluice/fs/watch.h"
        self.expect({header: "#include <string>\n"}, f"{header}:1: no '#pragma once'")
        self.expect_line(header, "using namespace std;", "'using namespace' in a header")
        self.assertEqual(findings(self.spoil(header, "// Never: using namespace std;")[0]), [])

    def test_finds_modules_that_are_included_and_not_listed_or_listed_and_not_included(self):
        base = {"src/base/CMakeLists.txt": "sluice_module(NAME base SOURCES id.cc)\n",
                "src/base/include/sluice/base/id.h": "#pragma once\n"}
        includes = {"src/fs/watch.cc": GOOD["src/fs/watch.cc"] + '#include "sluice/base/id.h"\n'}
        listed = {"src/fs/CMakeLists.txt": "sluice_module(NAME fs\n  SOURCES watch.cc deep/inner.cc\n  DEPS base)\n"}
        self.expect({**base, **includes}, "src/fs/watch.cc:5: 'sluice/base/id.h' belongs to the module base, which is not")
        self.expect({**base, **listed}, "src/fs/CMakeLists.txt:3: fs lists base in DEPS, and includes nothing of it")
        self.assertEqual(findings({**base, **includes, **listed}), [])
        unused = {"src/fs/watch.cc": GOOD["src/fs/watch.cc"] + '// #include "sluice/base/id.h"\n'}
        self.expect({**base, **unused, **listed}, "src/fs/CMakeLists.txt:3: fs lists base in DEPS, and includes nothing")

    def test_finds_third_party_headers_outside_their_owner(self):
        for header in ("boost/json.hpp", "boost/asio/post.hpp", "boost/beast/http.hpp", "openssl/ssl.h",
                       "openssl/evp.h", "spdlog/spdlog.h", "re2/re2.h", "yaml-cpp/yaml.h", "CLI/CLI.hpp",
                       "duckdb.h", "sqlite3.h", "libpq-fe.h", "git2.h", "curl/curl.h", "unicode/uchar.h",
                       "gtest/gtest.h"):
            self.expect_line("src/fs/watch.cc", f"#include <{header}>", f"<{header}> belongs to ")
            self.expect_line("src/fs/watch.cc", f'#include "{header}"', f"<{header}> belongs to ")
        self.expect_line("tests/unit/fs/watch_test.cc", "#include <re2/re2.h>", "<re2/re2.h> belongs to src/json")
        self.assertEqual(findings(self.spoil("src/fs/watch.cc", "// #include <re2/re2.h>")[0]), [])

    def test_lets_the_owner_include_its_library(self):
        for name, header in (("src/json/a.cc", "boost/json.hpp"), ("src/transport/a.cc", "openssl/ssl.h"),
                             ("src/crypto/a.cc", "openssl/evp.h"), ("src/engine/duckdb/a.cc", "duckdb.h"),
                             ("tests/unit/json/a.cc", "re2/re2.h"), ("tests/e2e/a.cc", "boost/asio/post.hpp")):
            folder = str(Path(name).parent)
            self.assertEqual(findings({name: f"#include <{header}>\n", f"{folder}/CMakeLists.txt": "a.cc\n"}), [])
        self.expect({"src/crypto/a.cc": "#include <openssl/ssl.h>\n", "src/crypto/CMakeLists.txt": "a.cc\n"},
                    "src/crypto/a.cc:1: <openssl/ssl.h> belongs to src/transport")

    def test_finds_third_party_headers_in_public_headers(self):
        header = "src/fs/include/sluice/fs/watch.h"
        self.expect_line(header, "#include <fmt/format.h>", "<fmt/format.h> (fmt) in a public header")

    def test_finds_headers_of_unknown_libraries(self):
        for header in ("bzlib.h", "nlohmann/json.hpp"):
            self.expect_line("src/fs/watch.cc", f"#include <{header}>", f"<{header}> is of no library")

    def test_finds_what_belongs_to_other_folders(self):
        for line, what in (("int x = inotify_init1(0);", "watching files"),
                           ("#include <sys/inotify.h>", "watching files"),
                           ('int x = ::open("x", 0);', "opening files"),
                           ('int x = openat(0, "x", 0);', "opening files"),
                           ('auto x = std::getenv("X");', "reading the environment"),
                           ("auto x = std::chrono::steady_clock::now();", "reading a clock"),
                           ("auto x = std::chrono::system_clock::now();", "reading a clock"),
                           ("std::mutex mutex;", "locking and waiting"),
                           ("std::condition_variable_any changed;", "locking and waiting"),
                           ("const std::scoped_lock lock(mutex);", "locking and waiting"),
                           ("std::jthread thread;", "std::jthread")):
            changes = {"src/cache/CMakeLists.txt": "a.cc\n", "src/cache/a.cc": f"\n{line}\n"}
            self.expect(changes, f"src/cache/a.cc:2: {what} belongs to ")
            changes["src/cache/a.cc"] = f"// {line}\n"
            self.assertEqual(findings(changes), [])
        self.assertEqual(findings({"src/cache/CMakeLists.txt": "a.cc\n", "src/cache/a.cc": "store->open(x);\n"}), [])

    def test_counts_what_old_code_may_still_do(self):
        read = {"src/fs/deep/inner.cc": "auto x = system_clock().now();\nauto y = system_clock().now();\n"}
        lists = "tests/tidy/system_clock_uses"
        self.assertEqual(findings({**read, lists: "2 src/fs/deep/inner.cc\n"}), [])
        self.expect({**read, lists: "1 src/fs/deep/inner.cc\n"}, "src/fs/deep/inner.cc:2: use of the machine's clock")
        self.expect({**read, lists: "3 src/fs/deep/inner.cc\n"}, "src/fs/deep/inner.cc:1: 2 of: use of the machine's")
        self.expect({lists: "1 src/fs/gone.cc\n"}, f"{lists}:1: src/fs/gone.cc is not there")
        self.expect({"src/fs/deep/inner.cc": 'if (made.error().code == "x") f();\n'},
                    "src/fs/deep/inner.cc:1: comparison with the code of an error")

    def test_finds_threads_that_no_document_lists(self):
        start = {"src/fs/deep/inner.cc": 'BackgroundThread thread("row-counter", run);\n'}
        listed = {"docs/ARCHITECTURE.md": "| `row-counter` | `src/fs/watch.cc` | counts |\n"}
        self.expect(start, "src/fs/deep/inner.cc:1: docs/ARCHITECTURE.md does not list the thread row-counter")
        self.expect(listed, "docs/ARCHITECTURE.md:1: nothing starts the thread row-counter")
        self.assertEqual(findings({**start, **listed}), [])

    def test_finds_tests_that_skip_or_sleep(self):
        test = "tests/unit/fs/watch_test.cc"
        for line in ("GTEST_SKIP();", "TEST(A, DISABLED_B) {}"):
            self.expect_line(test, line, "skips a test")
        for line in ("std::this_thread::sleep_for(1s);", "usleep(3);", "sleep(1);"):
            self.expect_line(test, line, "sleeps")
        self.expect({"tests/e2e/run.py": "time.sleep(1)\n"}, "tests/e2e/run.py:1: sleeps")

    def test_finds_sources_that_nothing_builds(self):
        self.expect({"src/fs/lost.cc": "\n"}, "src/fs/lost.cc:1: no CMakeLists.txt names it")
        self.expect({"src/fs/inner.cc": "\n"}, "src/fs/inner.cc:1: no CMakeLists.txt names it")
        self.expect({"src/fs/CMakeLists.txt": "sluice_module(NAME fs SOURCES deep/inner.cc) # watch.cc\n"},
                    "src/fs/watch.cc:1: no CMakeLists.txt names it")

    def test_finds_equal_names_in_unnamed_namespaces_of_a_module(self):
        watch, inner = "src/fs/watch.cc", "src/fs/deep/inner.cc"

        def sources(first, second, namespace="sluice::fs"):
            return {watch: f"namespace sluice::fs {{\nnamespace {{\n{first}\n}}\n}}\n",
                    inner: f"namespace {namespace} {{ namespace {{\n\n{second}\n}}}}\n"}

        for first, second in (
                ("constexpr int kSize = 1;", "constexpr std::size_t kSize{2};"),
                ("struct Size { int a; };", "using Size = std::vector<int>;"),
                ("class Size final : public Base {\n};", "enum class Size : char { kSmall };"),
                ("enum Large { kSize };", "enum : int { kSmall = f(1, 2), kSize = 3 };"),
                ("int size(int a) { return a; }", "bool size(const std::map<int, int>& a);"),
                ("template <typename T = int>\nT size(T a) noexcept { return T{a}; }",
                 "[[nodiscard]] auto size() -> int { return 1; }"),
                ("int a = 0; const std::regex size(\"x\");", "std::array<int, 2> size = {1, 2};"),
                ("Line::Line() : a_(1), b_{2} {}\nint size();",
                 "bool operator==(A, B) { return f(); }\nint size() { return 0; }")):
            found = findings(sources(second, first))
            self.assertEqual(len(found), 1, (first, second, found))
            self.assertRegex(found[0], r"^src/fs/watch.cc:\d+: '(S|s|kS)ize' is in the unnamed namespace of "
                                       r"src/fs/deep/inner.cc:\d+, too; ")
            self.assertEqual(findings(sources(first, first, "sluice::fs::deep")), [])
            self.assertEqual(findings({watch: sources(first, "")[watch].replace("namespace {", "namespace n {"),
                                       inner: sources("", second)[inner]}), [])
        inside = "#define X int size()\nstruct A { int size() const; int size_ = 0; };\nint size();"
        self.assertEqual(findings(sources("// int size();\nint f() { int size = 0; return size; }", inside)), [])
        self.assertEqual(findings(sources("int A::size() { return 0; }", "int size();")), [])
        other = {"src/cache/CMakeLists.txt": "a.cc\n", "src/cache/a.cc": sources("int size();", "")[watch]}
        self.assertEqual(findings({**sources("", "int size();"), **other}), [])

    def test_finds_long_lines_in_documents_but_not_in_tables_code_blocks_and_links(self):
        text = "word " * 24
        self.expect_line("docs/ARCHITECTURE.md", text + "and more", "128 columns, and 120 are the limit")
        for line in (text.strip(), "| " + text + "and more |", f"```\n{text}and more\n```",
                     f"[a link](https://example.org/{'x' * 120})"):
            changes, _ = self.spoil("docs/ARCHITECTURE.md", line)
            self.expect(changes)

    def test_finds_documents_that_name_what_is_gone(self):
        self.expect_line("docs/ARCHITECTURE.md", "See `src/fs/gone.cc`.", "`src/fs/gone.cc` does not exist")
        self.expect_line("docs/ARCHITECTURE.md", "See `fs/gone.h`.", "`fs/gone.h` does not exist")

    def test_finds_owners_of_what_is_gone(self):
        self.expect({".github/CODEOWNERS": "# Owners.\n* @all\n/src/fs/ @data\n/src/gone/ @data\n"},
                    ".github/CODEOWNERS:4: src/gone does not exist")

    def test_finds_refused_words_in_prose(self):
        self.expect_line("src/fs/watch.cc", "int x;  // Likewise.", "refused words")
        self.expect_line("src/fs/watch.cc", 'log("the signals kill again");', "refused words")
        self.expect_line("src/fs/CMakeLists.txt", "# FILES.md tells the rest.", "refused words")
        self.expect_line("docs/ARCHITECTURE.md", "A provider stands back.", "refused words")
        self.expect({"tests/questions/a.txt": "case The knobs are read\nsql SELECT 'the knobs'\n"},
                    "tests/questions/a.txt:1: refused words")
        self.expect({"docs/GUIDE.md": "```\nLikewise\n```\n"})
        self.expect({"src/fs/watch.cc": GOOD["src/fs/watch.cc"] + "int likewise;\n"})

    def test_finds_refused_names(self):
        self.expect_line("src/fs/watch.cc", "class Desk;", "a refused name")
        self.expect_line("src/fs/watch.cc", "void do_stuff();", "a refused name")
        self.expect({"src/fs/watch.cc": GOOD["src/fs/watch.cc"] + "// A Desk is furniture.\n"})

    def test_a_malformed_refused_word_is_an_error(self):
        for text in ("no heading => x\n", "[prose]\nno arrow\n", "[prose]\nnothing instead => \n"):
            with self.assertRaises(ValueError):
                language.read_words(text)

    def test_finds_dependencies_without_a_row(self):
        self.expect_line("CMakeLists.txt", "find_package(ICU REQUIRED)", "the dependency ICU has no row")
        self.expect_line("CMakeLists.txt", "pkg_check_modules(GIT REQUIRED IMPORTED_TARGET libgit2>=1.5)",
                         "the dependency libgit2 has no row")
        self.expect({"scripts/npm/package.json": '{\n  "dependencies": { "zod": "4.0.0" }\n}\n'},
                    "scripts/npm/package.json:2: the dependency zod has no row")
        self.expect({"scripts/npm/package.json": '{\n  "optionalDependencies": { "zod": "4.0.0" }\n}\n'},
                    "scripts/npm/package.json:2: the dependency zod has no row")
        self.expect({"scripts/engine.lock": "# name version hash\nlibduck 1.0 abc=\n"},
                    "scripts/engine.lock:2: the dependency libduck has no row")
        self.expect({"docs/DEPENDENCIES.md": None}, "CMakeLists.txt:1: the dependency fmt has no row",
                    "scripts/npm/package.json:2: the dependency ajv has no row")

    def test_finds_classes_that_are_too_large(self):
        def source(members, functions):
            body = "".join(f"  int m{i}_;\n" for i in range(members)) + "".join(f"  void f{i}();\n" for i in range(functions))
            return {"src/fs/watch.cc": GOOD["src/fs/watch.cc"] + "class Large {\n" + body + "};\n"}

        exceptions = "tests/tidy/class_size_exceptions"
        self.assertEqual(findings(source(12, 25)), [])
        self.expect(source(13, 0), "src/fs/watch.cc:")
        self.expect(source(0, 26), "src/fs/watch.cc:")
        self.assertEqual(findings({**source(13, 26), exceptions: "src/fs/watch.cc Large 13 26: a reason\n"}), [])
        self.expect({**source(14, 26), exceptions: "src/fs/watch.cc Large 13 26: a reason\n"}, "src/fs/watch.cc:")
        self.expect({**source(1, 1), exceptions: "src/fs/watch.cc Large 13 26: a reason\n"}, f"{exceptions}:1: Large")


class ClassSizeTest(unittest.TestCase):
    def test_counts_members_and_functions(self):
        text = """namespace a {
template <typename T>
class Outer final : public Base<T>, private Other {
 public:
  explicit Outer(int size) : size_(size), text_{} { f(); }
  Outer(const Outer&) = delete;
  ~Outer() override;
  template <typename U> void take(U value) { use(value); }
  bool operator<(const Outer& other) const { return size_ < other.size_; }
  static constexpr int kSize = 3;
  enum class Kind { kOne, kTwo };
  using Map = std::map<int, std::function<void(int)>>;
  struct Value { int a = 0; int b = 0; };
  struct Inner { int count() const { return count_; } int count_ = 0; };
  friend class Other;

 private:
  class Later;
  std::function<void(int)> on_change_;
  const int size_;
  std::string text_{"x"};
  std::vector<int> numbers_ = {1, 2, 3};
};
struct Plain { int a; int b; };
}  // namespace a
"""
        self.assertEqual([(size.name, size.line, size.members, size.functions) for size in class_size.sizes(text)],
                         [("Outer::Inner", 14, 1, 1), ("Outer", 2, 4, 4)])

    def test_does_not_take_an_annotation_for_a_function(self):
        text = """class SLUICE_SCOPED_CAPABILITY Counter {
 public:
  int next() SLUICE_REQUIRES(mutex_, other_.mutex_);

 private:
  Mutex mutex_;
  int count_ SLUICE_GUARDED_BY(mutex_) = 0;
};
"""
        self.assertEqual([(size.name, size.members, size.functions) for size in class_size.sizes(text)],
                         [("Counter", 2, 1)])

    def test_refuses_an_exception_without_a_reason(self):
        with self.assertRaises(ValueError):
            class_size.read_exceptions("src/a.h A 1 2:  \n")



class CppTextTest(unittest.TestCase):
    def test_blanks_comments_and_literals(self):
        text = "a /* b\nc */ d // e\n\"f // g\" h 'i' 1'000 R\"x(j\n)\" )x\" k"
        self.assertEqual(cpp_text.blank(text).split(), ["a", "d", "h", "1'000", "k"])
        self.assertEqual(cpp_text.blank(text).count("\n"), text.count("\n"))


class UnnamedNamespacesTest(unittest.TestCase):
    def test_names_what_a_source_declares_and_where(self):
        text = """namespace a::b {
using std::string;
int outside();
namespace {
using namespace std::chrono_literals;
namespace other = a::c;
static_assert(sizeof(int) == 4);
enum class Color { kRed };
struct Parts {
  int parts() { return 1; }
};
const std::map<int, std::pair<int, int>> kMap = {{1, {2, 3}}};
constexpr std::array kList{1, 2};
const auto kCall = [](int a) { return a; };
template <auto kDestroy>
void destroy() { f(); }
}  // namespace
inline namespace c { namespace { unsigned count[2]; } }
}  // namespace a::b
"""
        self.assertEqual([tuple(each) for each in unnamed_namespaces.declared(text)],
                         [("Color", 8, "a::b"), ("Parts", 9, "a::b"), ("kMap", 12, "a::b"), ("kList", 13, "a::b"),
                          ("kCall", 14, "a::b"), ("destroy", 16, "a::b"), ("count", 18, "a::b::c")])


if __name__ == "__main__":
    unittest.main()
