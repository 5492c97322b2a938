#pragma once

#include <cstdint>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/json/value.h"
#include "sluice/query/dataset.h"

namespace sluice::commands {

// A schema card, {dataset}.schema.json: what a dataset holds, beside its file, for people and agents to read
// before the data. People may add descriptions of columns and keys of their own; both stay.

// What the card of a dataset must say.
json::Object make_card(const query::Dataset& dataset, const query::Table& table, std::uint64_t rows);

// Fails with the first thing that the card beside the file says differently. A dataset needs no card.
Status check_card(const query::Dataset& dataset, const json::Object& card);

// Writes the card where there is none, or where it says something else.
Status write_card(const query::Dataset& dataset, const json::Object& card, const fs::Root& root);

}  // namespace sluice::commands
