#include "answer/pattern_candidates.h"

#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "sluice/query/statement.h"
#include "sluice/render/cell.h"
#include "sluice/text/normalize.h"

namespace sluice::datasets {

namespace {

using engine::quote_name;

// Values that `exclude` names as they stand, or by a word.
class Exclusion {
 public:
  static Result<Exclusion> compile(const std::vector<std::string>& exclude, text::Mode mode) {
    Exclusion out;
    if (exclude.empty()) return out;
    for (const std::string& one : exclude) out.values_.insert(text::normalize(one));
    SLUICE_TRY(out.words_, text::PatternSet::compile(exclude, mode));
    return out;
  }
  bool covers(const std::string& value) const {
    return words_ && (values_.contains(text::normalize(value)) || words_->match(value).has_value());
  }

 private:
  std::set<std::string> values_;
  std::optional<text::PatternSet> words_;
};

// The column by which the collection's rows belong together, where there is one beside the field itself.
std::string group_column(const Subject& subject, const std::string& field) {
  for (const query::RepeatedTotal& total : subject.dataset->collection().repeated_totals) {
    if (total.per == field) return "";
    if (query::find_column(subject.table->columns, total.per).ok()) return total.per;
  }
  return "";
}

}  // namespace

Result<Candidates> find_candidates(const Subject& subject, const PatternRequest& request,
                                   const catalog::Context& context) {
  SLUICE_TRY(const text::PatternSet patterns, text::PatternSet::compile(request.patterns, request.mode));
  SLUICE_TRY(const Exclusion exclusion, Exclusion::compile(request.exclude, request.mode));
  const std::string group = group_column(subject, request.field);
  const expression::Question question{
      // Names of its own for the columns: the table may have a column `v`, too.
      .sql = fmt::format(
          "SELECT v, count(*) AS n, list(DISTINCT g) AS groups FROM (SELECT {} AS v, {} AS g FROM data) "
          "WHERE v "
          "IS NOT NULL GROUP BY v ORDER BY n DESC, v",
          quote_name(request.field),
          group.empty() ? "NULL::VARCHAR" : fmt::format("CAST({} AS VARCHAR)", quote_name(group)))};
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  SLUICE_TRY(
      const std::unique_ptr<engine::Rows> rows,
      subject.engine->query(query::statement_of(question, *subject.table, relation, kPatternValuesMax + 1),
                            limits_of(context)));
  Candidates out;
  std::set<std::string> groups;
  std::uint64_t values = 0;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) break;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      if (++values > kPatternValuesMax) {
        out.is_partial = true;
        break;
      }
      const std::string value(batch->columns[0].text(row));
      const std::vector<text::Match> matches = patterns.match_all(value);
      if (matches.empty()) continue;
      Candidate candidate{.value = value,
                          .count = static_cast<std::uint64_t>(batch->columns[1].at<std::int64_t>(row)),
                          .overlaps = matches.size() > 1};
      for (const text::Match& match : matches) {
        if (match.confidence <= candidate.confidence) continue;
        candidate.confidence = match.confidence;
        candidate.matched = match.text;
      }
      if (exclusion.covers(value)) {
        out.exclude.push_back(std::move(candidate));
        continue;
      }
      const engine::Column& list = batch->columns[2];
      if (!list.is_null(row)) {
        const auto cell = list.at<engine::ListCell>(row);
        for (std::size_t i = 0; i < cell.size; ++i) {
          if (!list.children[0].is_null(cell.offset + i))
            groups.emplace(list.children[0].text(cell.offset + i));
        }
      }
      out.include.push_back(std::move(candidate));
    }
  }
  out.groups = groups.size();
  return out;
}

}  // namespace sluice::datasets
