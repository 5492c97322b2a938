#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/caller.h"
#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"

namespace sluice::query {

// What another process has to know of a snapshot that lies in the same folder, to serve it.
struct HandleCard {
  std::string scheme;
  Principal owner;
  PolicyDigest policy;  // As that of the snapshot.
  std::uint64_t rows = 0;
  WallTime expires;
  std::vector<engine::Field> columns;
  json::Object lineage;  // As that of the snapshot.
};

// Ids are ours: nothing else is looked for in the folder.
bool is_handle_id(std::string_view id);
bool has_our_ending(std::string_view name);  // Snapshots, cards, and files made of snapshots.
std::string card_name(std::string_view id);

std::string to_json(const HandleCard& card);
// The engine knows types by their names.
Result<HandleCard> handle_card_of(std::string_view json, engine::Engine& engine);

}  // namespace sluice::query
