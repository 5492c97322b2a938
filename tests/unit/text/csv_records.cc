#include "csv_records.h"

#include <utility>

namespace sluice::text {
namespace {

// Reads one cell from `at`, and moves `at` to what ended it.
std::string read_cell(std::string_view text, std::size_t& at) {
  std::string cell;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const bool doubled = quoted && at + 1 < text.size() && text[at + 1] == '"';
      if (doubled)
        cell.push_back(text[++at]);
      else
        quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      break;
    } else if (quoted || c != '\r') {
      cell.push_back(c);
    }
  }
  return cell;
}

}  // namespace

std::vector<std::vector<std::string>> csv_records(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  for (std::size_t at = 0; at < text.size(); ++at) {
    record.push_back(read_cell(text, at));
    if (at < text.size() && text[at] == ',') continue;
    records.push_back(std::exchange(record, {}));
  }
  if (!record.empty()) records.push_back(std::move(record));
  return records;
}

}  // namespace sluice::text
