#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "case_file.h"
#include "json_path.h"

namespace sluice::case_files {

// What a line claims of an answer:
//
//   PATH is JSON            exactly this value, members in this order; a block instead of JSON is a text
//   PATH is near NUMBER     a number that differs by at most 1e-9 of its size
//   PATH has TEXT           the text, or the JSON of another value, contains TEXT
//   PATH lacks TEXT         and does not
//   PATH matches PATTERN    a POSIX extended regular expression is found in it
//   PATH counts NUMBER      an array or object of so many items
//   PATH present, PATH absent
//
// TEXT in quotes is a JSON string; without them it goes to the end of the line.
class Expectation {
 public:
  // Whether the line is one; it may still be malformed.
  static bool is_one(const Step& step);
  static Result<Expectation> parse(const Step& step, const Values& values);

  const JsonPath& path() const { return path_; }
  // Empty if the answer is as expected. Otherwise a unified diff.
  std::string compare(const json::Value& answer) const;

 private:
  enum class Verb { kIs, kNear, kHas, kLacks, kMatches, kCounts, kPresent, kAbsent };

  bool holds(const json::Value* found) const;

  JsonPath path_;
  Verb verb_ = Verb::kIs;
  json::Value value_;  // Of kIs, kNear and kCounts.
  std::string text_;   // Of kHas, kLacks and kMatches.
};

// Empty if both are the same, members in the same order. Otherwise a unified diff.
std::string difference_of(const json::Value& expected, const json::Value& answer);

// A string as it is, anything else as compact JSON; "" for null and for what is not there.
std::string text_of(const json::Value* value);

}  // namespace sluice::case_files
