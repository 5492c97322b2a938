// Runs the files of this folder: questions to the query tools about files, and what they answer. See
// README.md.
#include <charconv>
#include <map>
#include <memory>

#include "sluice/json/reader.h"

#include "case_run.h"
#include "data_server.h"
#include "outcome.h"

namespace sluice::questions {
namespace {

using case_files::Case;
using case_files::CaseFile;
using case_files::Step;
using datasets::testing::DataServer;
using datasets::testing::DataServerOptions;

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// What the words of `serve` say.
struct Served {
  bool is_budget = false;
  DataServerOptions options;
};

void read_serve(const CaseFile& file, const Step& step, Served& served) {
  std::string_view rest = step.after_first_word();
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    const std::string_view key = word.substr(0, word.find('='));
    const std::size_t number = key.size() < word.size() ? number_of(word.substr(key.size() + 1)) : 0;
    if (word == "budget") {
      served.is_budget = true;
    } else if (word == "lean") {
      served.options.profile = datasets::ToolProfile::kLean;
    } else if (word == "analysis") {
      served.options.analysis_tools = true;
    } else if (word == "arrow") {
      served.options.arrow_ipc = true;
    } else if (key == "confirm_rows") {
      served.options.limits.confirm_rows = number;
    } else if (key == "spool_bytes") {
      served.options.spool.bytes_max = number;
    } else {
      case_files::fail_at(file, step.line, "nothing can be served as: " + std::string(word));
    }
  }
}

// The arguments of a statement, with the defaults that it does not name.
std::string with_defaults(const json::Value& given, const json::Object& defaults) {
  json::Object arguments = given.if_object() == nullptr ? json::Object() : *given.if_object();
  for (const json::Member& member : defaults) {
    if (!arguments.contains(member.key)) arguments.set(member.key, member.value);
  }
  return json::to_text(arguments);
}

// Runs one case: files first, so that each statement finds all of them, then line by line.
class CaseRunner {
 public:
  CaseRunner(const CaseFile& file, const Case& one) : file_(file), case_(one) {
    for (const Step& step : file.head) prepare(step);
    for (const Step& step : one.steps) prepare(step);
    const std::shared_ptr<const query::Collection> collection =
        served_.is_budget ? datasets::testing::budget_collection() : datasets::testing::plain_collection();
    server_ = served_.is_budget && !has_files_
                  ? std::make_unique<DataServer>(datasets::testing::test_data("budget/processed"), collection,
                                                 served_.options)
                  : std::make_unique<DataServer>(folder_.path(), collection, served_.options);
  }

  void run() {
    for (const Step& step : file_.head) {
      if (step.first_word() == "default") set_defaults(step);
    }
    for (const Step& step : case_.steps) {
      if (step.first_word() == "file" || step.first_word() == "serve") continue;
      run_step(step);
    }
    finish_statement();
    if (statements_ == 0) case_files::fail_at(file_, case_.line, "a case without a statement");
  }

 private:
  void prepare(const Step& step) {
    if (step.first_word() == "serve") return read_serve(file_, step, served_);
    if (step.first_word() != "file") return;
    has_files_ = true;
    const std::string_view rest = step.after_first_word();
    folder_.write(std::string(rest.substr(0, rest.rfind(" escaped"))), case_files::file_content(step));
  }

  void set_defaults(const Step& step) {
    const json::Value value = case_files::read_json(file_, step, std::string(step.after_first_word()));
    if (const json::Object* object = value.if_object()) defaults_ = *object;
  }

  void run_step(const Step& step) {
    if (step.first_word() == "default") return set_defaults(step);
    if (step.first_word() == "error") return expect_error(step);
    if (step.first_word() == "let") {
      ++expectations_;  // It fails if there is nothing to save.
      return case_files::save_value(file_, step, answer_, values_);
    }
    if (step.first_word() != "sql" && step.first_word() != "polars" &&
        case_files::Expectation::is_one(step)) {
      if (statements_ == 0) case_files::fail_at(file_, step.line, "an expectation ahead of every statement");
      ++expectations_;
      return case_files::check_line(file_, step, answer_, values_);
    }
    if (step.first_word() == "rows") return expect_rows(step);
    ask(step);
  }

  void ask(const Step& step) {
    finish_statement();
    ++statements_;
    expectations_ = 0;
    statement_ = &step;
    const std::string rest = values_.expand(step.after_first_word());
    std::string tool(step.first_word());
    if (tool.find('/') != std::string::npos) return ask_method(tool, rest);
    json::Value arguments;
    if (tool == "sql" || tool == "polars") {
      const bool is_lean = served_.options.profile == datasets::ToolProfile::kLean;
      arguments = json::Object{{tool == "sql" ? "sql" : "polars_expr", rest}};
      tool = is_lean ? "query" : "advanced_query";
    } else {
      arguments = case_files::read_json(file_, step, rest.empty() ? "{}" : rest);
    }
    const datasets::testing::Outcome outcome =
        datasets::testing::outcome(*server_, tool, with_defaults(arguments, defaults_));
    code_ = outcome.code;
    const Result<json::Value> value =
        json::read(outcome.text, {.bytes_max = 16'000'000, .values_max = 4'000'000});
    answer_ = value && !value->is_number() ? *value : json::Value(outcome.text);
  }

  // A method of the protocol, such as resources/read: the answer is its result.
  void ask_method(const std::string& method, const std::string& parameters) {
    const server::testing::WireMessage reply =
        server_->client().call(method, parameters.empty() ? "{}" : parameters);
    code_ = reply.is_result() ? "" : std::to_string(reply.code());
    answer_ = reply.is_result() ? reply.at({"result"}) : reply.at({"error"});
  }

  void expect_error(const Step& step) {
    ++expectations_;
    if (code_ != step.after_first_word()) {
      case_files::fail_at(file_, step.line,
                          step.text + "\n--- expected\n+++ answered\n@@ -1,1 +1,1 @@\n-" +
                              std::string(step.after_first_word()) + "\n+" +
                              (code_.empty() ? "no error" : code_) + "\n" + json::to_text(answer_));
    }
    code_.clear();  // It was expected.
  }

  // `rows JSON`: the values of each row, without the names of columns. A row of one column may be the value
  // alone.
  void expect_rows(const Step& step) {
    ++expectations_;
    const json::Value expected = case_files::read_json(file_, step, values_.expand(step.after_first_word()));
    const json::Value* data = answer_.find("data") != nullptr ? answer_.find("data") : answer_.find("rows");
    json::Array rows;
    for (const json::Value& row :
         data != nullptr && data->if_array() != nullptr ? *data->if_array() : json::Array()) {
      json::Array values;
      if (const json::Array* listed = row.if_array()) values = *listed;
      if (const json::Object* named = row.if_object()) {
        for (const json::Member& member : *named) values.push_back(member.value);
      }
      const bool is_alone =
          values.size() == 1 && !expected.if_array()->empty() && !expected.if_array()->front().is_array();
      rows.push_back(is_alone ? values.front() : json::Value(values));
    }
    const std::string difference =
        case_files::difference_of(expected, data == nullptr ? answer_ : json::Value(rows));
    if (!difference.empty()) case_files::fail_at(file_, step.line, "rows\n" + difference);
  }

  // Nothing that was answered goes unseen: an error has to be expected, and each statement has an
  // expectation.
  void finish_statement() {
    if (statement_ == nullptr) return;
    if (!code_.empty())
      case_files::fail_at(file_, statement_->line,
                          "an error that is not expected: " + code_ + "\n" + json::to_text(answer_));
    if (expectations_ == 0)
      case_files::fail_at(file_, statement_->line, "a statement without an expectation");
    statement_ = nullptr;
  }

  const CaseFile& file_;
  const Case& case_;
  Served served_;
  bool has_files_ = false;
  datasets::testing::TestFolder folder_;
  std::unique_ptr<DataServer> server_;
  json::Object defaults_;
  case_files::Values values_;
  const Step* statement_ = nullptr;  // The one whose answer is looked at.
  json::Value answer_;
  std::string code_;  // Of an error that no line has expected yet.
  int statements_ = 0;
  int expectations_ = 0;
};

std::vector<case_files::Variant> variants_of(const CaseFile&) {
  return {{.name = "", .run = [](const CaseFile& file, const Case& one) { CaseRunner(file, one).run(); }}};
}

}  // namespace
}  // namespace sluice::questions

int main(int argc, char** argv) {
  return sluice::case_files::run_case_files(argc, argv, sluice::questions::variants_of);
}
