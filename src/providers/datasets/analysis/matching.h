#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/datasets/equivalency_store.h"

#include "analysis/program.h"

namespace sluice::datasets::analysis {

// An entity of another place that may be the same one.
struct Candidate {
  Program program;
  double confidence = 0;
  std::string_view reason;  // "registered", "exact_code" or "fuzzy_text".
  double name_similarity = 0;
};

struct MatchOptions {
  double threshold = 0;
  Groups groups = Groups::kCompared;
};

// Those with the same code or a registered one, and the five that are most alike.
struct Matches {
  std::vector<Candidate> exact;
  std::vector<Candidate> fuzzy;  // The most alike first.
  bool has_data = true;          // The place has a dataset.
};

// Looks for one entity in other places. Reads the equivalencies once.
class Matcher {
 public:
  static Result<Matcher> create(const DatasetTools& tools, const Series& series,
                                const catalog::Context& context);

  // The one of that code at a place; of several groups the largest.
  Result<Program> find(const std::string& place, const std::string& code,
                       const catalog::Context& context) const;
  Result<Matches> matches(const Program& reference, const std::string& place, const MatchOptions& options,
                          const catalog::Context& context) const;

 private:
  Matcher(const DatasetTools& tools, const Series& series, engine::RunLimits limits)
      : dataset_tools_(tools), series_(series), limits_(std::move(limits)) {}
  bool is_registered(const Program& reference, const Program& candidate) const;

  const DatasetTools& dataset_tools_;  // Both outlive the call.
  const Series& series_;
  engine::RunLimits limits_;
  Equivalencies equivalencies_;
};

std::string candidate_json(const Series& series, const Candidate& candidate);

}  // namespace sluice::datasets::analysis
