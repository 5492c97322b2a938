#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case_file.h"
#include "expectation.h"

namespace sluice::case_files {

// Runs one case. Failures are reported with fail_at.
using RunCase = std::function<void(const CaseFile& file, const Case& one)>;

// How a case is run in several ways: `name` is shown with the name of the case.
struct Variant {
  std::string name;
  RunCase run;
};
using VariantsOf = std::function<std::vector<Variant>(const CaseFile& file)>;

// The body of a runner's main: reads the files that `argv` names and runs their cases as tests. A file that
// cannot be read, and a call without files, fail.
int run_case_files(int argc, char** argv, const VariantsOf& variants_of);

// Reports a failure of the running test at a line of the file.
void fail_at(const CaseFile& file, int line, const std::string& message);

// Holds an answer against one line. Reports what differs.
void check_line(const CaseFile& file, const Step& step, const json::Value& answer, const Values& values);

// `let NAME = PATH`: saves a part of the answer.
void save_value(const CaseFile& file, const Step& step, const json::Value& answer, Values& values);

// JSON that a line has to hold; reports text that is none, and returns null for it.
json::Value read_json(const CaseFile& file, const Step& step, const std::string& text);

}  // namespace sluice::case_files
