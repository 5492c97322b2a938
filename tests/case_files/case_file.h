#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::case_files {

// One line of a case, with what belongs to it: indented lines that follow are part of it, and a line that
// ends in " is" or starts with "file " has a block of lines up to a line `end`.
struct Step {
  int line = 0;
  std::string text;
  std::optional<std::string> block;  // With a line end after each line.

  std::string_view first_word() const;
  std::string_view after_first_word() const;
};

struct Case {
  int line = 0;
  std::string name;
  std::vector<Step> steps;
};

// A text file of cases. Lines ahead of the first `case NAME` are its head; `#` begins a line of comment.
struct CaseFile {
  std::string path;
  std::vector<Step> head;
  std::vector<Case> cases;

  std::string stem() const;  // The file's name without its extension.
};

Result<CaseFile> read_case_file(const std::string& path);
Result<CaseFile> parse_case_file(std::string path, std::string_view text);

// "${x*3}" becomes "xxx", and "${name}" the value that `let name = PATH` saved; others stay as they are.
class Values {
 public:
  void set(std::string name, std::string value);
  std::string expand(std::string_view text) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// The content that a `file` step writes. Its name may be followed by `escaped`: then \n, \r, \t, \\ and \xHH
// are read, and lines do not end by themselves. A line "@repeat FIRST LAST TEXT" is TEXT for each number,
// with {i} and {i%10} for it.
std::string file_content(const Step& step);

}  // namespace sluice::case_files
