#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"
#include "sluice/text/pattern_set.h"

#include "analysis/analysis_tools.h"
#include "analysis/rounding.h"
#include "analysis/series.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kGroupsMax = 10'000;
constexpr std::size_t kNamesListed = 20;
constexpr std::string_view kRate = "execution_rate";  // A ratio: it is computed from sums, never summed.

using Sums = std::map<std::string, double>;  // By group.

// The sums of one measure at one place, and where they are from.
struct Figure {
  std::string dataset;
  Sums sums;
};
using Figures =
    std::map<std::string, Figure, std::less<>>;  // By role; those that no dataset has are not there.

Result<Sums> sums_of(const Subject& subject, const std::string& column, const catalog::Context& context) {
  const query::Entity& entity = subject.dataset->collection().entity;
  const query::QueryArguments query_arguments{
      .grouped = true,
      .group_by = {entity.group},
      .aggregates = {{.column = column, .fn = query::AggregateFn::kSum}},
      .limit = kGroupsMax};
  SLUICE_TRY(const expression::Question question,
             query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  SLUICE_TRY(const std::vector<query::TextRow> rows,
             query::read_rows(*subject.engine,
                              query::statement_of(question, *subject.table, relation, question.limit),
                              limits_of(context), kGroupsMax));
  Sums out;
  for (const query::TextRow& row : rows) {
    double value = 0;
    std::from_chars(row[1].data(), row[1].data() + row[1].size(), value);
    out[row[0]] += value;
  }
  return out;
}

// Of the datasets at a place, each role from the first that has it.
Result<Figures> figures_at(const DatasetTools& tools, const Series& series, const std::string& place,
                           const std::set<std::string>& roles, const catalog::Context& context) {
  Figures out;
  for (const query::DatasetPtr& dataset : series.at(place)) {
    if (out.size() == roles.size()) break;
    SLUICE_TRY(const Subject subject, tools.open(dataset, context));
    if (!query::find_column(subject.table->columns, series.entity().group).ok()) continue;
    for (const std::string& role : roles) {
      if (out.contains(role)) continue;
      const std::string column = role_column(series.collection(), subject.table->columns, role);
      if (column.empty()) continue;
      SLUICE_TRY(Sums sums, sums_of(subject, column, context));
      out.emplace(role, Figure{.dataset = dataset->name(), .sums = std::move(sums)});
    }
  }
  return out;
}

Result<std::vector<std::string>> read_metrics(const Series& series, const json::ObjectReader& in) {
  SLUICE_TRY(std::vector<std::string> metrics, in.optional_strings("metrics"));
  if (metrics.empty()) metrics = {"allocated", "actual"};
  std::vector<std::string> known;
  for (const query::Role& role : series.collection().roles) known.push_back(role.name);
  for (const std::string& metric : metrics) {
    if (std::find(known.begin(), known.end(), metric) != known.end()) continue;
    return invalid_input(fmt::format("unknown metric: {}", excerpt(metric)))
        .with_code("invalid_aggregate")
        .with_hint(fmt::format("Metrics are the roles of the collection: {}.", fmt::join(known, ", ")));
  }
  std::sort(metrics.begin(), metrics.end());
  metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());
  return metrics;
}

// Groups whose name has the words, in any form; where there are none, those that contain them anywhere.
struct MatchedGroups {
  std::set<std::string> names;
  bool is_loose = false;
};
Result<MatchedGroups> matching_groups(const std::map<std::string, Figures>& by_place,
                                      const std::string& pattern) {
  MatchedGroups out;
  for (const text::Mode mode : {text::Mode::kBalanced, text::Mode::kPermissive}) {
    SLUICE_TRY(const text::PatternSet patterns, text::PatternSet::compile({&pattern, 1}, mode));
    for (const auto& [place, figures] : by_place) {
      for (const auto& [role, figure] : figures) {
        for (const auto& [group, sum] : figure.sums) {
          if (patterns.match(group)) out.names.insert(group);
        }
      }
    }
    out.is_loose = mode == text::Mode::kPermissive;
    if (!out.names.empty()) return out;
  }
  return out;
}

std::optional<double> total_of(const Figures& figures, std::string_view role, const MatchedGroups& groups) {
  const auto figure = figures.find(role);
  if (figure == figures.end()) return std::nullopt;
  std::optional<double> out;
  for (const auto& [group, sum] : figure->second.sums) {
    if (groups.names.contains(group)) out = out.value_or(0) + sum;
  }
  return out;
}

// What is paid of the plan as it was last revised; both from the same dataset.
std::optional<double> rate_of(const Figures& figures, const MatchedGroups& groups) {
  const auto actual = figures.find("actual");
  const auto revised = figures.find("revised");
  if (actual == figures.end() || revised == figures.end()) return std::nullopt;
  if (actual->second.dataset != revised->second.dataset) return std::nullopt;
  const std::optional<double> paid = total_of(figures, "actual", groups);
  const std::optional<double> planned = total_of(figures, "revised", groups);
  if (!paid || !planned || *planned == 0) return std::nullopt;
  return rounded(*paid / *planned);
}

void write_number(json::Writer& out, std::string_view key, std::optional<double> number) {
  out.key(key);
  if (number) {
    out.number(*number);
  } else {
    out.null();
  }
}

void write_place(json::Writer& out, const Figures& figures, const std::vector<std::string>& metrics,
                 const MatchedGroups& groups) {
  out.begin_object();
  std::map<std::string_view, std::string_view> datasets;
  for (const std::string& metric : metrics) {
    if (metric == kRate) continue;
    write_number(out, metric, total_of(figures, metric, groups));
    if (const auto figure = figures.find(metric); figure != figures.end())
      datasets.emplace(metric, figure->second.dataset);
  }
  write_number(out, kRate, rate_of(figures, groups));
  out.key("datasets").begin_object();
  for (const auto& [metric, dataset] : datasets) out.field(metric, dataset);
  out.end_object().end_object();
}

// From each place to the next; null where either is not known.
void write_deltas(json::Writer& out, const Series& series, const std::map<std::string, Figures>& by_place,
                  const std::vector<std::string>& places, const std::vector<std::string>& metrics,
                  const MatchedGroups& groups) {
  out.key("trend_analysis").begin_object().key("deltas").begin_array();
  for (std::size_t i = 1; i < places.size(); ++i) {
    out.begin_object().field(series.entity().series, series.place_json(places[i]));
    for (const std::string& metric : metrics) {
      if (metric == kRate) continue;
      const std::optional<double> before = total_of(by_place.at(places[i - 1]), metric, groups);
      const std::optional<double> now = total_of(by_place.at(places[i]), metric, groups);
      write_number(out, metric + "_delta", before && now ? std::optional(*now - *before) : std::nullopt);
    }
    out.end_object();
  }
  out.end_array().end_object();
}

void write_names(json::Writer& out, const MatchedGroups& groups, const std::string& pattern) {
  std::vector<std::string> warnings;
  if (groups.is_loose && !groups.names.empty())
    warnings.push_back("No name has the word itself; names that contain it were taken.");
  if (groups.names.empty()) warnings.push_back(fmt::format("No name has a form of {}.", excerpt(pattern)));
  if (groups.names.size() > kNamesListed)
    warnings.push_back(
        fmt::format("{} names match; the first {} are listed.", groups.names.size(), kNamesListed));
  write_warnings(out, warnings);
  out.key("matched").begin_array();
  std::size_t listed = 0;
  for (const std::string& name : groups.names) {
    if (listed++ == kNamesListed) break;
    out.string(excerpt(name, kGroupNameBytes));
  }
  out.end_array();
}

}  // namespace

Result<protocol::ToolResult> get_ministry_comparison(const DatasetTools& tools, const json::Object& arguments,
                                                     catalog::Context& context) {
  SLUICE_TRY(const Series series, Series::find(tools, arguments));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string pattern, in.required_string("ministry_pattern"));
  SLUICE_TRY(const std::vector<std::string> metrics, read_metrics(series, in));
  SLUICE_TRY(const std::vector<std::string> places, series.places_of(arguments, plural(series.entity())));
  std::set<std::string> roles(metrics.begin(), metrics.end());
  roles.erase(std::string(kRate));
  roles.insert({"actual", "revised"});
  std::map<std::string, Figures> by_place;
  for (const std::string& place : places) {
    SLUICE_TRY(by_place[place], figures_at(tools, series, place, roles, context));
  }
  SLUICE_TRY(const MatchedGroups groups, matching_groups(by_place, pattern));
  json::Writer out;
  out.begin_object().field("ministry_pattern", excerpt(pattern));
  if (!series.collection().unit.empty()) out.field("unit", series.collection().unit);
  write_names(out, groups, pattern);
  out.key(series.entity().series + "ly_data").begin_object();
  for (const std::string& place : places) {
    out.key(place);
    if (by_place.at(place).empty()) {
      out.null();
    } else {
      write_place(out, by_place.at(place), metrics, groups);
    }
  }
  out.end_object();
  write_deltas(out, series, by_place, places, metrics, groups);
  return protocol::json_text_result(std::move(out.field("chart_ready", true).end_object()).take());
}

}  // namespace sluice::datasets::analysis
