#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/series.h"

namespace sluice::datasets::analysis {

// An entity as one dataset has it, e.g. a programme of a ministry in a year.
struct Program {
  std::string place;
  std::string code;
  std::string name;
  std::string group;
  std::vector<std::string> descriptions;  // As many as the collection's entity has; empty ones are not known.
  std::optional<double> total;
};

// All entities of the preferred dataset of a place, by code and group. None where the place has no data.
Result<std::vector<Program>> read_programs(const DatasetTools& tools, const Series& series,
                                           const std::string& place, const catalog::Context& context);

// As a JSON object whose keys are the names of the columns, and `total`. Descriptions are cut.
std::string program_json(const Series& series, const Program& program);

// How alike two of them are, from 0 to 1: by name, first description, group and size. Where nothing could
// lift it to `at_least`, less is returned without looking further.
enum class Groups : std::uint8_t { kCompared, kIgnored };
double likeness(const Program& a, const Program& b, Groups groups, double at_least);

}  // namespace sluice::datasets::analysis
