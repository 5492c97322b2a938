#include "expectation.h"

#include <array>
#include <cmath>
#include <regex>

#include "sluice/json/reader.h"

#include "unified_diff.h"

namespace sluice::case_files {

namespace {

constexpr std::array<std::string_view, 7> kVerbs = {"is",     "has",     "lacks", "matches",
                                                    "counts", "present", "absent"};

std::string_view verb_in(std::string_view line) {
  const std::size_t length = JsonPath::length_in(line);
  if (length >= line.size()) return {};
  const std::string_view rest = line.substr(length + 1);
  return rest.substr(0, rest.find(' '));
}

}  // namespace

std::string text_of(const json::Value* value) {
  if (value == nullptr || value->is_null()) return {};
  const std::string* text = value->if_string();
  return text != nullptr ? *text : json::to_text(*value);
}

std::string difference_of(const json::Value& expected, const json::Value& answer) {
  if (json::to_text(expected) == json::to_text(answer)) return {};
  return unified_diff(indented(expected), indented(answer));
}

bool Expectation::is_one(const Step& step) {
  const std::string_view verb = verb_in(step.text);
  return std::find(kVerbs.begin(), kVerbs.end(), verb) != kVerbs.end();
}

Result<Expectation> Expectation::parse(const Step& step, const Values& values) {
  const std::string_view line = step.text;
  const std::size_t length = JsonPath::length_in(line);
  const std::string_view verb = verb_in(line);
  const std::size_t begin = length + 1 + verb.size() + 1;
  std::string rest = begin < line.size() ? values.expand(line.substr(begin)) : std::string();
  Expectation out;
  SLUICE_TRY(out.path_, JsonPath::parse(line.substr(0, length)));
  if (verb == "present" || verb == "absent") {
    out.verb_ = verb == "present" ? Verb::kPresent : Verb::kAbsent;
    return out;
  }
  if (verb == "is" || verb == "counts") {
    out.verb_ = verb == "counts" ? Verb::kCounts : Verb::kIs;
    if (rest.starts_with("near ")) {
      out.verb_ = Verb::kNear;
      rest.erase(0, 5);
    }
    if (step.block) {
      out.value_ = *step.block;
      return out;
    }
    SLUICE_TRY(out.value_, json::read(rest));
    return out;
  }
  out.verb_ = verb == "has" ? Verb::kHas : verb == "lacks" ? Verb::kLacks : Verb::kMatches;
  out.text_ = rest;
  if (rest.size() > 1 && rest.starts_with('"') && rest.ends_with('"')) {
    SLUICE_TRY(const json::Value quoted, json::read(rest));
    out.text_ = text_of(&quoted);
  }
  if (out.text_.empty()) return invalid_input("nothing after `" + std::string(verb) + "`");
  if (out.verb_ == Verb::kMatches) {
    try {
      const std::regex compiled(out.text_, std::regex::extended);
    } catch (const std::regex_error&) {
      return invalid_input("no POSIX extended regular expression: " + out.text_);
    }
  }
  return out;
}

bool Expectation::holds(const json::Value* found) const {
  switch (verb_) {
    case Verb::kPresent:
      return found != nullptr && !found->is_null();
    case Verb::kAbsent:
      return found == nullptr || found->is_null();
    case Verb::kIs:
      return found != nullptr && json::to_text(*found) == json::to_text(value_);
    case Verb::kNear: {
      const json::Number* number = found == nullptr ? nullptr : found->if_number();
      const double wanted = value_.if_number() == nullptr ? NAN : value_.if_number()->as_double();
      return number != nullptr && std::abs(number->as_double() - wanted) <= std::abs(wanted) * 1e-9;
    }
    case Verb::kHas:
      return text_of(found).find(text_) != std::string::npos;
    case Verb::kLacks:
      return text_of(found).find(text_) == std::string::npos;
    case Verb::kMatches:
      return std::regex_search(text_of(found), std::regex(text_, std::regex::extended));
    case Verb::kCounts: {
      const json::Array* array = found == nullptr ? nullptr : found->if_array();
      const json::Object* object = found == nullptr ? nullptr : found->if_object();
      const std::size_t count = array != nullptr ? array->size() : object != nullptr ? object->size() : 0;
      return (array != nullptr || object != nullptr) && json::to_text(value_) == std::to_string(count);
    }
  }
  return false;
}

std::string Expectation::compare(const json::Value& answer) const {
  const json::Value* found = path_.find(answer);
  if (holds(found)) return {};
  const auto stated = [this](std::string_view claim) {
    return json::Value("(a value that " + std::string(claim) + ")");
  };
  json::Value expected = value_;
  switch (verb_) {
    case Verb::kIs:
      break;
    case Verb::kNear:
      expected = stated("is near " + json::to_text(value_));
      break;
    case Verb::kHas:
      expected = stated("has " + json::to_text(json::Value(text_)));
      break;
    case Verb::kLacks:
      expected = stated("lacks " + json::to_text(json::Value(text_)));
      break;
    case Verb::kMatches:
      expected = stated("matches " + text_);
      break;
    case Verb::kCounts:
      expected = stated("counts " + json::to_text(value_));
      break;
    case Verb::kPresent:
      expected = stated("is present");
      break;
    case Verb::kAbsent:
      expected = stated("is absent");
      break;
  }
  return unified_diff(indented(path_.replace(answer, expected)), indented(answer));
}

}  // namespace sluice::case_files
