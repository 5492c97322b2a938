#pragma once

#include <string>

#include "sluice/base/result.h"

#include "tools/tools.h"

namespace sluice::ckan {

// What is looked for, in whatever words.
struct SearchWords {
  std::string q;
  Parameters others;  // Of package_search, beside q.
};
struct SearchOutcome {
  ActionResultPtr result;
  std::string q;  // As it was asked.
  bool without_accents = false;
};

// package_search, in the way that finds more on this portal: some look for words in too few fields unless
// they are told the field. Where nothing is found, words are looked for without their accents, in the same
// way. `query_parser` of the call decides where it is given.
Result<SearchOutcome> search(const ToolCall& call, const SearchWords& words);

std::string facet_fields(const std::vector<std::string>& names);  // As CKAN wants a list.

}  // namespace sluice::ckan
