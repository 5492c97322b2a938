#include "pages.h"

#include <algorithm>
#include <array>

#include "sluice/base/text.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/served_name.h"
#include "sluice/fs/scan.h"

namespace sluice::docs {

namespace {

constexpr std::array<std::string_view, 2> kEndings = {".md", ".markdown"};
constexpr std::size_t kTitleBytesMax = 200;

bool ends_with_ignoring_case(std::string_view text, std::string_view ending) {
  return text.size() > ending.size() && equal_ignoring_case(text.substr(text.size() - ending.size()), ending);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\"'";
  const std::size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::string shown(std::string_view title) { return excerpt(encode_controls(title), kTitleBytesMax); }

// The lines of a text, one at a time. The last one may be cut, so it is not given.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::optional<std::string_view> next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      if (rest_.empty()) return std::nullopt;
      return std::exchange(rest_, {});
    }
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<std::string_view> page_name(std::string_view path) {
  for (const std::string_view ending : kEndings) {
    if (!ends_with_ignoring_case(path, ending)) continue;
    const std::string_view name = path.substr(0, path.size() - ending.size());
    if (!name.ends_with('/')) return name;
  }
  return std::nullopt;
}

Result<std::vector<DocPage>> pages_of(const fs::Root& root) {
  fs::ScanOptions options;
  options.skips = [](std::string_view path) { return !contents::is_served_name(contents::last_name(path)); };
  SLUICE_TRY(const fs::Scan scan, fs::scan(root, "", options));
  std::vector<DocPage> out;
  for (const fs::ScannedEntry& found : scan.entries) {
    if (found.entry.kind != fs::EntryKind::kFile) continue;
    if (const auto name = page_name(found.path))
      out.push_back({.path = found.path, .name = std::string(*name)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const DocPage& a, const DocPage& b) { return a.name < b.name; });
  out.erase(std::unique(out.begin(), out.end(),
                        [](const DocPage& a, const DocPage& b) { return a.name == b.name; }),
            out.end());
  return out;
}

std::optional<std::string> find_page(const fs::Root& root, const std::string& name) {
  if (!contents::is_served_path(name)) return std::nullopt;
  const auto is_file = [&](const std::string& path) {
    const Result<fs::Entry> entry = root.stat(path);
    return entry.ok() && entry->kind == fs::EntryKind::kFile;
  };
  for (const std::string_view ending : kEndings) {
    std::string path = name + std::string(ending);
    if (is_file(path)) return path;
  }
  if (page_name(name) && is_file(name)) return name;
  // START.MD, where the case of the ending is another.
  const Result<fs::Listing> folder = root.list(contents::parent_folder(name));
  if (!folder.ok()) return std::nullopt;
  for (const fs::Entry& entry : folder->entries) {
    std::string path = contents::beneath(contents::parent_folder(name), entry.name);
    if (entry.kind == fs::EntryKind::kFile && page_name(path) == std::string_view(name)) return path;
  }
  return std::nullopt;
}

std::string title_of(std::string_view beginning) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (beginning.starts_with(kMark)) beginning.remove_prefix(kMark.size());
  Lines lines(beginning);
  bool in_front_matter = false;
  bool is_first = true;
  bool in_code = false;
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::string_view text = trimmed(*line);
    if (text == "---" && (is_first || in_front_matter)) {
      in_front_matter = is_first;
      is_first = false;
      continue;
    }
    is_first = false;
    if (in_front_matter) {
      if (line->starts_with("title:")) return shown(trimmed(line->substr(6)));
      continue;
    }
    if (text.starts_with("```")) in_code = !in_code;
    if (!in_code && text.starts_with('#')) {
      const std::size_t level = text.find_first_not_of('#');
      if (level != std::string_view::npos && level <= 6 && text[level] == ' ')
        return shown(trimmed(text.substr(level)));
    }
  }
  return "";
}

}  // namespace sluice::docs
