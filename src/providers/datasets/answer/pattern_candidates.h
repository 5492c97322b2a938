#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/text/pattern_set.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// A value of the column that the patterns are looked for in.
struct Candidate {
  std::string value;
  std::uint64_t count = 0;  // Rows that have it.
  std::string matched;      // The words that matched.
  double confidence = 0;
  bool overlaps = false;  // More than one pattern matched.
};

// Distinct values that are looked at, the most frequent ones.
inline constexpr std::uint64_t kPatternValuesMax = 200'000;

struct Candidates {
  std::vector<Candidate> include;  // The most frequent first.
  std::vector<Candidate> exclude;  // Matched, and left out by `exclude`.
  bool is_partial = false;         // The column has more than kPatternValuesMax values.
  std::uint64_t groups = 0;  // How many groups of the collection the included rows belong to; 0: unknown.
};

struct PatternRequest {
  std::string field;
  std::vector<std::string> patterns;
  std::vector<std::string> exclude;
  text::Mode mode = text::Mode::kBalanced;
};

Result<Candidates> find_candidates(const Subject& subject, const PatternRequest& request,
                                   const catalog::Context& context);

}  // namespace sluice::datasets
