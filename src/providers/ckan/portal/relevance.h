#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"

namespace sluice::ckan {

// A part of a dataset that words are looked for in, and how much a word there counts.
struct Weighted {
  std::string_view name;
  double weight = 0;
};
using Weights = std::array<Weighted, 6>;
inline constexpr Weights kUsualWeights = {
    {{"title", 4}, {"notes", 2}, {"tags", 3}, {"organization", 1}, {"holder", 4}, {"publisher", 2}}};

// The words of a question, each once: without case and accents, in any script.
std::vector<std::string> terms_of(std::string_view query);

struct Score {
  double total = 0;
  json::Object breakdown;  // By part, and `total`.
};
// A part counts its weight for every term that is one of its words.
Score score_of(const json::Value& dataset, const std::vector<std::string>& terms, const Weights& weights);

}  // namespace sluice::ckan
