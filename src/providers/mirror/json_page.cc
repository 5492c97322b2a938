#include "json_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/contents/read_room.h"
#include "sluice/json/reader.h"

namespace sluice::mirror {

namespace {

constexpr int kDepthMax = 4;
constexpr std::size_t kCountBytes = 40;  // Counts may have other digits on another page.
constexpr std::array<std::string_view, 4> kCounts = {"returned", "count", "row_count", "rows_returned"};

struct LargestArray {
  std::vector<std::string> path;
  std::size_t bytes = 0;
};

void look_for_rows(const json::Value& value, std::vector<std::string>& path, LargestArray& out) {
  if (const json::Array* array = value.if_array()) {
    const std::size_t bytes = array->empty() ? 0 : json::to_text(value).size();
    if (bytes > out.bytes) out = {.path = path, .bytes = bytes};
    return;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr || path.size() >= kDepthMax) return;
  for (const json::Member& member : *object) {
    path.push_back(member.key);
    look_for_rows(member.value, path, out);
    path.pop_back();
  }
}

// What `path` leads to, and the object that it is in, if any.
std::pair<json::Value*, json::Object*> follow(json::Value& document, const std::vector<std::string>& path) {
  json::Value* at = &document;
  json::Object* parent = nullptr;
  for (const std::string& key : path) {
    parent = at->if_object();
    at = parent->find(key);
  }
  return {at, parent};
}

void adjust(json::Object& object, std::size_t all, std::size_t shown, bool is_end) {
  std::vector<std::pair<std::string, json::Value>> changed;
  for (const json::Member& member : object) {
    const json::Number* number = member.value.if_number();
    const bool is_count = std::find(kCounts.begin(), kCounts.end(), member.key) != kCounts.end();
    if (is_count && number != nullptr && number->as_int64() == static_cast<std::int64_t>(all)) {
      changed.emplace_back(member.key, json::Value(shown));
    } else if (!is_end && member.key == "has_more") {
      changed.emplace_back(member.key, json::Value(true));
    } else if (!is_end && member.key.starts_with("next")) {
      changed.emplace_back(member.key, json::Value());
    }
  }
  for (auto& [key, value] : changed) object.set(key, std::move(value));
}

}  // namespace

std::optional<JsonPage> JsonPage::parse(std::string_view text) {
  Result<json::Value> document = json::read(text, {.bytes_max = text.size(), .values_max = text.size() + 1});
  if (!document.ok()) return std::nullopt;
  JsonPage page(*std::move(document));
  LargestArray largest;
  std::vector<std::string> path;
  look_for_rows(page.document_, path, largest);
  if (largest.bytes == 0) return std::nullopt;
  page.path_ = std::move(largest.path);
  json::Array* rows = follow(page.document_, page.path_).first->if_array();
  page.rows_ = std::move(*rows);
  rows->clear();
  return page;
}

std::size_t JsonPage::frame_bytes() const { return contents::json_string_bytes(with_rows(0, 0)); }

std::string JsonPage::with_rows(std::size_t first, std::size_t end) const {
  json::Value copy = document_;
  const auto [rows, parent] = follow(copy, path_);
  *rows = json::Array(rows_.begin() + static_cast<std::ptrdiff_t>(first),
                      rows_.begin() + static_cast<std::ptrdiff_t>(end));
  if (parent != nullptr) adjust(*parent, rows_.size(), end - first, end == rows_.size());
  return json::to_text(copy);
}

JsonPage::Shown JsonPage::show(std::size_t first, std::size_t room) const {
  std::size_t bytes = frame_bytes() + kCountBytes;
  std::size_t end = first;
  for (; end < rows_.size(); ++end) {
    bytes += contents::json_string_bytes(row(end)) + 1;
    if (bytes > room) break;
  }
  return {.text = with_rows(first, end), .end = end};
}

}  // namespace sluice::mirror
