#include "case_run.h"

#include <iostream>
#include <utility>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"

namespace sluice::case_files {

namespace {

class CaseTest : public ::testing::Test {
 public:
  CaseTest(const CaseFile& file, const Case& one, RunCase run)
      : file_(file), one_(one), run_(std::move(run)) {}
  void TestBody() override { run_(file_, one_); }

 private:
  const CaseFile& file_;  // Lives as long as the program.
  const Case& one_;
  const RunCase run_;
};

}  // namespace

int run_case_files(int argc, char** argv, const VariantsOf& variants_of) {
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<CaseFile> files;
  for (int i = 1; i < argc; ++i) {
    Result<CaseFile> file = read_case_file(argv[i]);
    if (!file) {
      std::cerr << file.error().message << '\n';
      return 1;
    }
    files.push_back(*std::move(file));
  }
  if (files.empty()) {
    std::cerr << "usage: " << argv[0] << " FILE...\n";
    return 1;
  }
  for (const CaseFile& file : files) {
    const std::string stem = file.stem();
    for (const Variant& variant : variants_of(file)) {
      for (const Case& one : file.cases) {
        const std::string name = variant.name.empty() ? one.name : one.name + " (" + variant.name + ")";
        ::testing::RegisterTest(stem.c_str(), name.c_str(), nullptr, nullptr, file.path.c_str(), one.line,
                                [&file, &one, run = variant.run]() -> ::testing::Test* {
                                  return new CaseTest(file, one, run);  // The framework deletes it.
                                });
      }
    }
  }
  return RUN_ALL_TESTS();
}

void fail_at(const CaseFile& file, int line, const std::string& message) {
  ADD_FAILURE_AT(file.path.c_str(), line) << message;
}

void check_line(const CaseFile& file, const Step& step, const json::Value& answer, const Values& values) {
  const Result<Expectation> expectation = Expectation::parse(step, values);
  if (!expectation) return fail_at(file, step.line, expectation.error().message + ": " + step.text);
  const std::string difference = expectation->compare(answer);
  if (!difference.empty()) fail_at(file, step.line, step.text + "\n" + difference);
}

void save_value(const CaseFile& file, const Step& step, const json::Value& answer, Values& values) {
  const std::string_view rest = step.after_first_word();
  const std::size_t sign = rest.find(" = ");
  const Result<JsonPath> path =
      JsonPath::parse(sign == std::string_view::npos ? std::string_view() : rest.substr(sign + 3));
  const json::Value* found = path ? path->find(answer) : nullptr;
  if (sign == std::string_view::npos || found == nullptr)
    return fail_at(file, step.line, "nothing to save: " + step.text + "\n" + json::to_text(answer));
  values.set(std::string(rest.substr(0, sign)), text_of(found));
}

json::Value read_json(const CaseFile& file, const Step& step, const std::string& text) {
  Result<json::Value> value = json::read(text, {.bytes_max = 16'000'000, .values_max = 4'000'000});
  if (value) return *std::move(value);
  fail_at(file, step.line, "no JSON: " + value.error().message + ": " + text.substr(0, 200));
  return {};
}

}  // namespace sluice::case_files
