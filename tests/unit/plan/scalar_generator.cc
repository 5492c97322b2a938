#include "scalar_generator.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/json/reader.h"

namespace sluice::plan::testing {

std::optional<ScalarCall> ScalarGenerator::next(const Overload& overload, engine::Dialect dialect) {
  for (int i = 0; i <= static_cast<int>(ScalarFunction::kCase); ++i) {
    const auto function = static_cast<ScalarFunction>(i);
    if (function_of(function) != overload.function) continue;
    if (!is_date_function(function)) return values_of(overload, function);
    std::vector<std::size_t> columns;
    for (std::size_t k = 0; k < table_.columns.size(); ++k) {
      if (class_of(table_.layout.columns[k], dialect) == overload.argument) columns.push_back(k);
    }
    if (columns.empty()) return std::nullopt;
    const std::size_t column = columns[below(columns.size())];
    ScalarCall out{.function = function, .type = date_result(function)};
    out.part = static_cast<DatePart>(below(kDateParts));
    out.arguments.push_back({.column = column, .constant = {}});
    static const std::vector<std::string> kNumbers = {"0",  "1",  "2",    "3",    "4",    "5",    "7",
                                                      "12", "29", "1582", "1969", "2000", "9999", "1.5"};
    SampleColumn sample = samples_[column - 1];
    if (function != ScalarFunction::kDateTrunc) sample.constants = kNumbers;
    sample.patterns.clear();
    out.name = fmt::format("computed{}", table_.columns.size());
    add_column(out, sample);
    return out;
  }
  return std::nullopt;
}

Argument ScalarGenerator::argument(const engine::Type& type, const std::vector<std::string>& constants) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < table_.columns.size(); ++i) {
    if (engine::sql_name(table_.columns[i].type) == engine::sql_name(type)) columns.push_back(i);
  }
  if (columns.empty() || chance(35)) {
    const json::Value value = json::read(constants[below(constants.size())]).value();
    const Result<Operand> operand = resolve_operand({.name = "x", .type = type}, value);
    // A sum of the largest numbers overflows.
    const bool is_large = operand.ok() && engine::is_number(type.id) && operand->text.size() > 22;
    const bool is_usable = operand.ok() && operand->place == Operand::Place::kEqual && !is_large &&
                           operand->text.find("e+30") == std::string::npos;
    if (is_usable) return {.column = {}, .constant = Constant{.given = value, .operand = *operand}};
  }
  if (columns.empty() || chance(10)) return {};
  return {.column = columns[below(columns.size())], .constant = {}};
}

std::optional<ScalarCall> ScalarGenerator::values_of(const Overload& overload, ScalarFunction function) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 1; i < table_.columns.size(); ++i) {
    if (class_of(table_.columns[i].type) == overload.argument) columns.push_back(i);
  }
  if (columns.empty()) return std::nullopt;
  const std::size_t like = columns[below(columns.size())];
  const SampleColumn sample = samples_[like - 1];
  ScalarCall out{.function = function,
                 .type = table_.columns[like].type,
                 .name = fmt::format("computed{}", table_.columns.size())};
  if (function == ScalarFunction::kCoalesce) {
    out.arguments.push_back({.column = like, .constant = {}});
  } else {
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) {
      out.conditions.push_back(condition_());
      out.arguments.push_back(argument(out.type, sample.constants));
    }
  }
  do {
    out.arguments.push_back(argument(out.type, sample.constants));
  } while (function == ScalarFunction::kCoalesce && chance(30));
  add_column(out, sample);
  return out;
}

void ScalarGenerator::add_column(const ScalarCall& call, const SampleColumn& sample) {
  engine::TableColumn column{.name = {}, .type = call.type};
  column.declared = call.type.id == engine::TypeId::kText ? "TEXT" : "NUMERIC";
  column.select = engine::quote_name(call.name);
  table_.layout.columns.push_back(std::move(column));
  table_.columns.push_back({.name = call.name, .type = call.type});
  samples_.push_back(sample);
}

}  // namespace sluice::plan::testing
