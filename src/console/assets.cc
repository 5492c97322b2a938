#include "assets.h"

#include <algorithm>
#include <vector>

// Symbols of the object that the assembler makes of the files.
#define SLUICE_ASSET(symbol, name, type, hash)               \
  extern "C" const char sluice_asset_##symbol##_plain[];     \
  extern "C" const char sluice_asset_##symbol##_plain_end[]; \
  extern "C" const char sluice_asset_##symbol##_gzip[];      \
  extern "C" const char sluice_asset_##symbol##_gzip_end[];
#include "assets.inc"
#undef SLUICE_ASSET

namespace sluice::console {

namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

const std::vector<Asset>& asset_table() {
  static const std::vector<Asset> table = {
#define SLUICE_ASSET(symbol, name, type, hash)                                                  \
  {name, type, hash, between(sluice_asset_##symbol##_plain, sluice_asset_##symbol##_plain_end), \
   between(sluice_asset_##symbol##_gzip, sluice_asset_##symbol##_gzip_end)},
#include "assets.inc"
#undef SLUICE_ASSET
  };
  return table;
}

}  // namespace

std::span<const Asset> assets() { return asset_table(); }

const Asset* find_asset(std::string_view name) {
  const auto all = assets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Asset& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sluice::console
