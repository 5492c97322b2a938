// Runs the official JSON Schema test suite: all that it requires of 2020-12 and of draft-07, and of its
// optional parts those that we claim to support.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

namespace sluice::json {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A group whose schema we refuse by design. It is not skipped: the refusal itself is asserted.
struct Refusal {
  std::string_view file;
  std::string_view group;  // Empty for every group of the file.
  std::string_view because;
};

constexpr std::string_view kNeverFetched = "never fetched";
constexpr std::string_view kUnsupportedDialect = "unsupported dialect";

struct Suite {
  std::string folder;        // Below tests/.
  std::string_view dialect;  // Put into schemas that do not name one.
  std::vector<Refusal> refusals;
  bool assert_formats = false;
};

struct Tally {
  std::size_t passed = 0;
  std::size_t refused = 0;
};

fs::path suite_root() { return fs::path(SLUICE_JSON_SCHEMA_SUITE) / "tests"; }

Value read_file(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  Result<Value> value = read(text.str());
  EXPECT_TRUE(value.ok()) << path << ": " << (value.ok() ? "" : value.error().message);
  return value.ok() ? *value : Value(Array{});
}

std::string text_of(const Value& value, std::string_view key) { return *value.find(key)->if_string(); }

Value with_dialect(const Value& schema, std::string_view dialect) {
  if (!schema.is_object() || schema.find("$schema") != nullptr) return schema;
  Object object = *schema.if_object();
  object.set("$schema", dialect);
  return object;
}

std::string render(const std::vector<SchemaProblem>& problems) {
  std::string out;
  for (const SchemaProblem& problem : problems) out += problem.path + ": " + problem.message + "\n";
  return out;
}

class SuiteRun {
 public:
  explicit SuiteRun(const Suite& suite) : suite_(suite) {}

  Tally over(const std::vector<fs::path>& files) {
    for (const fs::path& file : files) run_file(file);
    for (std::size_t i = 0; i < suite_.refusals.size(); ++i) {
      EXPECT_TRUE(used_.contains(i)) << "stale: " << suite_.refusals[i].file << ": "
                                     << suite_.refusals[i].group;
    }
    return tally_;
  }

 private:
  void run_file(const fs::path& file) {
    const Value groups = read_file(file);
    for (const Value& group : *groups.if_array()) {
      SCOPED_TRACE(file.filename().string() + ": " + text_of(group, "description"));
      run_group(file.filename().string(), group);
    }
  }

  const Refusal* refusal_of(std::string_view file, std::string_view group) {
    for (std::size_t i = 0; i < suite_.refusals.size(); ++i) {
      const Refusal& refusal = suite_.refusals[i];
      if (refusal.file != file || (!refusal.group.empty() && refusal.group != group)) continue;
      used_.insert(i);
      return &refusal;
    }
    return nullptr;
  }

  void run_group(std::string_view file, const Value& group) {
    const Value source = with_dialect(*group.find("schema"), suite_.dialect);
    const Result<Schema> schema = Schema::compile(source, {.assert_formats = suite_.assert_formats});
    if (const Refusal* refusal = refusal_of(file, text_of(group, "description"))) {
      ASSERT_FALSE(schema.ok()) << "listed as refused, but it compiles";
      EXPECT_THAT(schema.error().message, HasSubstr(refusal->because));
      ++tally_.refused;
      return;
    }
    ASSERT_TRUE(schema.ok()) << schema.error().message << "\n" << to_text(source);
    for (const Value& test : *group.find("tests")->if_array()) run_test(*schema, source, test);
  }

  void run_test(const Schema& schema, const Value& source, const Value& test) {
    const Value& data = *test.find("data");
    const std::vector<SchemaProblem> problems = schema.validate(data);
    const bool expected = *test.find("valid")->if_bool();
    EXPECT_EQ(problems.empty(), expected) << text_of(test, "description") << "\n"
                                          << to_text(source) << "\n"
                                          << to_text(data) << "\n"
                                          << render(problems);
    if (problems.empty() == expected) ++tally_.passed;
  }

  const Suite& suite_;
  Tally tally_;
  std::set<std::size_t> used_;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void record(const Tally& tally) {
  ::testing::Test::RecordProperty("passed", std::to_string(tally.passed));
  ::testing::Test::RecordProperty("refused", std::to_string(tally.refused));
  std::cout << "[  SUITE   ] " << tally.passed << " tests passed, " << tally.refused
            << " groups refused by design\n";
}

TEST(SchemaSuite, PassesWhatDraft202012Requires) {
  const Suite suite{
      .folder = "draft2020-12",
      .dialect = "https://json-schema.org/draft/2020-12/schema",
      .refusals = {
          // Every schema here leads to a document on localhost:1234.
          {"refRemote.json", "", kNeverFetched},
          {"dynamicRef.json", "strict-tree schema, guards against misspelled properties", kNeverFetched},
          {"dynamicRef.json", "tests for implementation dynamic anchor and reference link", kNeverFetched},
          {"dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $defs first",
           kNeverFetched},
          {"dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first", kNeverFetched},
          // The meta-schema is a document of its own, and we have no copy of it.
          {"anchor.json", "invalid anchors", kNeverFetched},
          {"defs.json", "validate definition against metaschema", kNeverFetched},
          {"id.json", "Invalid use of fragments in location-independent $id", kNeverFetched},
          {"id.json", "Valid use of empty fragments in location-independent $id", kNeverFetched},
          {"id.json", "Unnormalized $ids are allowed but discouraged", kNeverFetched},
          {"ref.json", "remote ref, containing refs itself", kNeverFetched},
          {"ref.json", "URN base URI with f-component", kNeverFetched},
          // Custom meta-schemas are dialects of their own.
          {"vocabulary.json", "", kUnsupportedDialect},
      }};
  const std::vector<fs::path> files = files_in(suite_root() / suite.folder);
  ASSERT_GE(files.size(), 46U)
      << "the suite is not in " << suite_root()
      << ": install libtest-json-schema-acceptance-perl or set SLUICE_JSON_SCHEMA_SUITE";
  const Tally tally = SuiteRun(suite).over(files);
  EXPECT_GE(tally.passed, 1000U);
  record(tally);
}

TEST(SchemaSuite, PassesWhatDraft07Requires) {
  const Suite suite{.folder = "draft7",
                    .dialect = "http://json-schema.org/draft-07/schema#",
                    .refusals = {
                        {"refRemote.json", "", kNeverFetched},
                        {"definitions.json", "validate definition against metaschema", kNeverFetched},
                        {"ref.json", "remote ref, containing refs itself", kNeverFetched},
                    }};
  const std::vector<fs::path> files = files_in(suite_root() / suite.folder);
  ASSERT_GE(files.size(), 36U) << "the suite is not in " << suite_root();
  const Tally tally = SuiteRun(suite).over(files);
  EXPECT_GE(tally.passed, 700U);
  record(tally);
}

TEST(SchemaSuite, PassesTheOptionalPartsThatAreSupported) {
  const Suite suite{.folder = "draft2020-12/optional",
                    .dialect = "https://json-schema.org/draft/2020-12/schema",
                    .refusals = {},
                    .assert_formats = true};
  std::vector<fs::path> files;
  for (const std::string_view name :
       {"bignum", "dependencies-compatibility", "float-overflow", "non-bmp-regex", "format/date",
        "format/date-time", "format/email", "format/ipv4", "format/uri", "format/uuid"}) {
    files.push_back(suite_root() / suite.folder / (std::string(name) + ".json"));
    ASSERT_TRUE(fs::exists(files.back())) << files.back();
  }
  const Tally tally = SuiteRun(suite).over(files);
  EXPECT_GE(tally.passed, 200U);
  record(tally);
}

}  // namespace
}  // namespace sluice::json
