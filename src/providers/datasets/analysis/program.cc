#include "analysis/program.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"
#include "sluice/text/similarity.h"

namespace sluice::datasets::analysis {

namespace {

using engine::quote_name;

constexpr std::size_t kProgramsMax = 10'000;  // Of one dataset.
constexpr std::size_t kProgramNameBytes = 400;
constexpr std::size_t kDescriptionBytes = 160;

// A column as text; empty text where the table has none.
std::string text_of(const expression::Columns& columns, const std::string& name) {
  if (name.empty() || !query::find_column(columns, name).ok()) return "''";
  return fmt::format("coalesce(CAST({} AS VARCHAR), '')", quote_name(name));
}

// Entities that stand on several rows are one: their smallest texts, so that the answer is always the same.
Result<expression::Question> question_of(const Subject& subject) {
  const query::Entity& entity = subject.dataset->collection().entity;
  const expression::Columns& columns = subject.table->columns;
  SLUICE_TRY([[maybe_unused]] const engine::Field* code, query::find_column(columns, entity.code));
  SLUICE_TRY([[maybe_unused]] const engine::Field* name, query::find_column(columns, entity.name));
  const std::string measure = role_column(subject.dataset->collection(), columns, entity.measure);
  std::string texts = fmt::format("min({})", text_of(columns, entity.name));
  for (const std::string& description : entity.descriptions)
    texts += fmt::format(", min({})", text_of(columns, description));
  expression::Question question;
  question.sql = fmt::format(
      "SELECT {} AS code, {} AS own_group, {}, {} FROM data GROUP BY code, own_group ORDER BY code, "
      "own_group",
      text_of(columns, entity.code), text_of(columns, entity.group),
      measure.empty() ? std::string("NULL")
                      : fmt::format("fsum(TRY_CAST({} AS DOUBLE))", quote_name(measure)),
      texts);
  question.limit = kProgramsMax + 1;
  return question;
}

Program program_of(query::TextRow& row, const std::string& place) {
  Program out{
      .place = place, .code = std::move(row[0]), .name = std::move(row[3]), .group = std::move(row[1])};
  double total = 0;
  if (std::from_chars(row[2].data(), row[2].data() + row[2].size(), total).ec == std::errc{})
    out.total = total;
  for (std::size_t i = 4; i < row.size(); ++i) out.descriptions.push_back(std::move(row[i]));
  return out;
}

double size_likeness(double a, double b) {
  const double larger = std::max(std::abs(a), std::abs(b));
  if (larger == 0) return 1;
  return std::signbit(a) == std::signbit(b) ? std::min(std::abs(a), std::abs(b)) / larger : 0;
}

// Parts of a score, each with its weight; those that nothing is known of do not count.
class Weighing {
 public:
  void add(double weight, double score) {
    weights_ += weight;
    sum_ += weight * score;
  }
  double score() const { return weights_ > 0 ? sum_ / weights_ : 0; }
  double at_best(double further) const { return (sum_ + further) / (weights_ + further); }

 private:
  double weights_ = 0;
  double sum_ = 0;
};

}  // namespace

Result<std::vector<Program>> read_programs(const DatasetTools& tools, const Series& series,
                                           const std::string& place, const catalog::Context& context) {
  const std::vector<query::DatasetPtr> datasets = series.at(place);
  std::vector<Program> out;
  if (datasets.empty()) return out;
  SLUICE_TRY(const Subject subject, tools.open(datasets.front(), context));
  SLUICE_TRY(const expression::Question question, question_of(subject));
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  SLUICE_TRY(std::vector<query::TextRow> rows,
             query::read_rows(*subject.engine,
                              query::statement_of(question, *subject.table, relation, question.limit),
                              limits_of(context), kProgramsMax + 1));
  if (rows.size() > kProgramsMax) {
    return limit_reached("entities of a dataset that are compared", kProgramsMax)
        .with_code("too_many_values")
        .with_hint("Use query_data and pattern_filter on this dataset instead.");
  }
  for (query::TextRow& row : rows) out.push_back(program_of(row, place));
  return out;
}

std::string program_json(const Series& series, const Program& program) {
  const query::Entity& entity = series.entity();
  json::Writer out;
  out.begin_object().field(entity.series, series.place_json(program.place));
  out.field(entity.code, excerpt(program.code)).field(entity.name, excerpt(program.name, kProgramNameBytes));
  if (!entity.group.empty()) out.field(entity.group, excerpt(program.group, kProgramNameBytes));
  for (std::size_t i = 0; i < program.descriptions.size(); ++i) {
    if (program.descriptions[i].empty()) continue;
    out.field(entity.descriptions[i], excerpt(program.descriptions[i], kDescriptionBytes));
  }
  out.field_if("total", program.total);
  return std::move(out.end_object()).take();
}

double likeness(const Program& a, const Program& b, Groups groups, double at_least) {
  constexpr double kName = 0.4;
  constexpr double kDescription = 0.3;
  constexpr double kGroup = 0.2;
  constexpr double kSize = 0.1;
  const bool described = !a.descriptions.empty() && !b.descriptions.empty() &&
                         !a.descriptions.front().empty() && !b.descriptions.front().empty();
  Weighing weighing;
  if (a.total && b.total) weighing.add(kSize, size_likeness(*a.total, *b.total));
  weighing.add(kName, text::similarity(a.name, b.name));
  const bool grouped = groups == Groups::kCompared && !a.group.empty() && !b.group.empty();
  const double further = (grouped ? kGroup : 0) + (described ? kDescription : 0);
  if (weighing.at_best(further) < at_least) return weighing.score();
  if (grouped) weighing.add(kGroup, text::similarity(a.group, b.group));
  if (!described || weighing.at_best(kDescription) < at_least) return weighing.score();
  weighing.add(kDescription, text::similarity(a.descriptions.front(), b.descriptions.front()));
  return weighing.score();
}

}  // namespace sluice::datasets::analysis
