#include "sluice/records/name.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/random.h"

namespace sluice::records {

namespace {

constexpr std::size_t kNameBytes = 128;
constexpr std::array<std::string_view, 4> kOwnFolders = {"schemas", "snapshots", "logs", "embeddings"};
constexpr std::array<std::string_view, 4> kDevices = {"con", "prn", "aux", "nul"};

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Windows keeps these names for devices, whatever their case and ending.
bool is_device(std::string_view name) {
  const std::string stem = to_lower_ascii(name.substr(0, name.find('.')));
  if (std::find(kDevices.begin(), kDevices.end(), stem) != kDevices.end()) return true;
  const bool is_port = stem.starts_with("com") || stem.starts_with("lpt");
  return is_port && stem.size() == 4 && stem[3] >= '1' && stem[3] <= '9';
}

bool is_allowed(std::string_view name) {
  if (name.empty() || name.size() > kNameBytes || !is_alphanumeric(name.front()) || name.ends_with('.'))
    return false;
  const auto is_part = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  if (!std::all_of(name.begin(), name.end(), is_part)) return false;
  return !is_device(name) && std::find(kOwnFolders.begin(), kOwnFolders.end(), name) == kOwnFolders.end();
}

// "category" of "categories", "address" of "addresses", "task" of "tasks"; "process" and "status" are none's
// plural.
std::string singular(std::string_view data_type) {
  const auto ends = [&](std::string_view ending) { return data_type.ends_with(ending); };
  const auto without = [&](std::size_t bytes) {
    return std::string(data_type.substr(0, data_type.size() - bytes));
  };
  if (ends("ies") && data_type.size() > 4) return without(3) + "y";
  for (const std::string_view ending : {"sses", "shes", "ches", "xes", "zzes", "atuses"}) {
    if (ends(ending) && !ends("aches")) return without(2);
  }
  if (!ends("s") || ends("ss") || ends("us") || ends("is")) return std::string(data_type);
  return without(1);
}

bool has(std::span<const engine::Field> columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const engine::Field& column) { return column.name == name; });
}

}  // namespace

Status check_data_type(std::string_view name) {
  if (is_allowed(name)) return {};
  return invalid_input("not a data type: " + excerpt(name))
      .with_code("invalid_data_type")
      .with_hint(
          "A data type is a name such as tasks: letters, digits, _ and -. list_data_types lists them.");
}

std::string file_path(std::string_view data_type) { return fmt::format("{0}/{0}.parquet", data_type); }

std::vector<std::string> id_column_candidates(std::string_view data_type) {
  std::string_view by_rule = data_type;
  while (by_rule.ends_with('s')) by_rule.remove_suffix(1);
  return {std::string(by_rule) + "_id", std::string(data_type) + "_id", singular(data_type) + "_id", "id"};
}

std::string new_id_column(std::string_view data_type) { return singular(data_type) + "_id"; }

std::string id_column_of(std::string_view data_type, std::span<const engine::Field> columns) {
  for (std::string& name : id_column_candidates(data_type)) {
    if (has(columns, name)) return std::move(name);
  }
  return {};
}

std::string new_uuid() {
  const std::string bytes = crypto::random_bytes(16);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    auto byte = static_cast<unsigned char>(bytes[i]);
    if (i == 6) byte = static_cast<unsigned char>(0x40U | (byte & 0x0FU));  // The version,
    if (i == 8) byte = static_cast<unsigned char>(0x80U | (byte & 0x3FU));  // and the variant.
    out += fmt::format("{:02x}", byte);
  }
  return out;
}

std::string new_id() {
  const std::string bytes = crypto::random_bytes(8);
  std::string out;
  for (std::size_t i = 0; i < 7; ++i) {
    if (i == 4 || i == 6) out += '-';
    auto byte = static_cast<unsigned char>(bytes[i]);
    if (i == 6) byte = static_cast<unsigned char>(0x40U | (byte & 0x0FU));  // The UUID's version.
    out += fmt::format("{:02x}", byte);
  }
  return out;
}

}  // namespace sluice::records
