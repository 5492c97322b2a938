#include <array>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/collections/collection_spec.h"

namespace sluice::collections {

namespace {

// Words by which programmes of a kind are known, after config/program_patterns.yaml of the data's own tools
// (github.com/gituzh/armenian-budget-tools, MIT).
std::vector<query::Topic> budget_topics() {
  return {
      {.name = "research",
       .keywords = {"գիտական", "հետազոտ"},
       .required = {"գիտական", "հետազոտ"},
       .exclude = {"կրթական", "հիմնական"}},
      {.name = "development",
       .keywords = {"փորձակոնստրուկտոր", "փորձարարական մշակում", "տեխնոլոգ"},
       .required = {"փորձարարական մշակում"},
       .exclude = {"կրթական", "հիմնական", "կառուցում"}},
      {.name = "innovation",
       .keywords = {"ինովա", "տեխնոլոգ", "նորարար"},
       .required = {"ինովա"},
       .exclude = {"կրթական", "հիմնական"}},
      {.name = "technology",
       .keywords = {"տեխնոլոգ", "տեխնոլոգիա", "տեխնոլոգիական"},
       .required = {"տեխնոլոգ", "տեխնոլոգիա"},
       .exclude = {"կրթական", "հիմնական"}},
      {.name = "education",
       .keywords = {"կրթություն", "ուսում", "դպրոց", "համալսարան"},
       .required = {"կրթություն"},
       .exclude = {}},
      {.name = "infrastructure",
       .keywords = {"կառուցում", "ենթակառուցվածք", "ճանապարհ", "տրանսպորտ"},
       .required = {"կառուցում"},
       .exclude = {}},
  };
}

// The state budget of Armenia as its open data has it: one file for each year and kind of report, and beside
// it the totals of the whole. Amounts are thousand drams. What a state body or a programme has in all stands
// again on each of its rows. Codes are digits and still names, not numbers.
CollectionSpec budget() {
  CollectionSpec spec;
  spec.name = "budget";
  spec.scheme = "budget";
  spec.description =
      "State budget by year and source type; amounts in thousand AMD, columns *_vs_* are fractions. In MTEP, "
      "y0 is the year of the dataset, y1 and y2 are the two years after it.";
  spec.pattern = "{year}_{source_type}.csv";
  spec.subfolders = {"csv"};  // Where older releases of the data have them.
  spec.dimensions = {
      {.name = "year", .is_integer = true, .description = "Budget year."},
      {.name = "source_type",
       .is_integer = false,
       .description = "Kind of report; SPENDING_Q12 covers quarters 1 and 2."},
  };
  spec.types = {{"program_code", "VARCHAR"}, {"subprogram_code", "VARCHAR"}, {"program_code_ext", "VARCHAR"}};
  spec.roles = {
      {.name = "allocated", .columns = {"subprogram_total", "subprogram_annual_plan", "program_total_y0"}},
      {.name = "allocated_y1", .columns = {"program_total_y1"}},
      {.name = "allocated_y2", .columns = {"program_total_y2"}},
      {.name = "revised", .columns = {"subprogram_rev_annual_plan"}},
      {.name = "actual", .columns = {"subprogram_actual"}},
      {.name = "execution_rate", .columns = {"subprogram_actual_vs_rev_annual_plan"}},
  };
  spec.repeated_totals = {
      {.columns = "state_body_*", .per = "state_body", .parts = {"subprogram_*", "program_*"}},
      {.columns = "program_*", .per = "program_code", .parts = {"subprogram_*"}}};
  spec.ratios = {
      {.columns = "*_actual_vs_rev_annual_plan", .numerator = "*_actual", .denominator = "*_rev_annual_plan"},
      {.columns = "*_actual_vs_rev_period_plan",
       .numerator = "*_actual",
       .denominator = "*_rev_period_plan"}};
  spec.unit = "thousand AMD";
  spec.overall_suffix = "_overall.json";
  // Sums of the leaves: the totals in the files are wrong where a state body was split within a year.
  spec.summaries = {
      {.name = "state-bodies-summary",
       .fixed = {{"source_type", "BUDGET_LAW"}},
       .group_by = {"state_body"},
       .role = "allocated",
       .total = "state_body_total"},
      {.name = "programs-summary",
       .fixed = {{"source_type", "BUDGET_LAW"}},
       .group_by = {"state_body", "program_code", "program_name"},
       .role = "allocated",
       .total = "program_total"},
      {.name = "full-data", .fixed = {{"source_type", "BUDGET_LAW"}}},
  };
  spec.entity = {
      .series = "year",
      .code = "program_code",
      .name = "program_name",
      .group = "state_body",
      .descriptions = {"program_goal", "program_result_desc"},
      .measure = "allocated",
      .variants = {"BUDGET_LAW", "SPENDING_Q1234", "SPENDING_Q123", "SPENDING_Q12", "SPENDING_Q1", "MTEP"}};
  spec.topics = budget_topics();
  return spec;
}

struct Preset {
  std::string_view name;
  CollectionSpec (*make)();
};
constexpr std::array kPresets = {Preset{"budget", budget}};

}  // namespace

Result<CollectionSpec> preset(std::string_view name) {
  std::vector<std::string> known;
  for (const Preset& each : kPresets) {
    if (each.name == name) return each.make();
    known.emplace_back(each.name);
  }
  const std::string near = nearest_name(name, known);
  return invalid_input(fmt::format("unknown preset{}: {}",
                                   near.empty() ? std::string() : fmt::format(" (did you mean {}?)", near),
                                   excerpt(name)))
      .with_code("unknown_preset");
}

}  // namespace sluice::collections
