#include "git_uri.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/uri_path.h"
#include "sluice/contents/completion.h"

namespace sluice::git {

namespace {

constexpr std::size_t kCommitsMax = 1'000;  // One page of a history.

constexpr std::array<std::string_view, 6> kParameters = {"offset", "length", "limit",
                                                         "after",  "path",   "format"};

constexpr std::array<std::pair<std::string_view, Subject>, 4> kWords = {{{"log", Subject::kLog},
                                                                         {"status", Subject::kStatus},
                                                                         {"branches", Subject::kBranches},
                                                                         {"tags", Subject::kTags}}};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t slash = text.find('/');
    out.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    text.remove_prefix(slash + 1);
  }
}

// Bytes as git has them; whether they are UTF-8 is not its concern.
std::optional<std::string> decode(std::string_view text) {
  Result<std::string> out = percent_decode(text);
  if (!out.ok() || out->empty() || out->find('\0') != std::string::npos) return std::nullopt;
  return *std::move(out);
}

bool has_only(const contents::UriQuery& query, std::initializer_list<std::string_view> allowed) {
  return std::all_of(kParameters.begin(), kParameters.end(), [&](std::string_view name) {
    return !query.has(name) || std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  });
}

bool fits_subject(const contents::UriQuery& query, const GitUri& uri) {
  if (uri.subject == Subject::kLog) return has_only(query, {"limit", "after", "path", "format"});
  if (uri.subject != Subject::kAtRef) return has_only(query, {"format", "offset", "length"});
  if (has_only(query, {"offset", "length"}) || has_only(query, {"after"})) return true;
  return uri.may_be_commits && has_only(query, {"limit", "after", "path", "format"});
}

bool read_query(std::string_view text, GitUri& out) {
  const std::optional<contents::UriQuery> query = contents::UriQuery::parse(text, kParameters);
  if (!query || !fits_subject(*query, out)) return false;
  const std::optional<contents::Range> range = query->range();
  if (!range) return false;
  out.range = *range;
  if (query->has("limit")) {
    const std::optional<std::uint64_t> limit = query->number("limit");
    if (!limit || *limit == 0) return false;
    out.limit = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, kCommitsMax));
  }
  const std::string_view format = query->text("format");
  if (query->has("format") && format != "json" && format != "text") return false;
  out.is_json = format == "json";
  out.after = query->text("after");
  out.path = query->text("path");
  const bool is_empty =
      (query->has("after") && out.after.empty()) || (query->has("path") && out.path.empty());
  return !is_empty && out.path.size() <= kPathBytesMax;
}

// What stands behind the prefix of the repository.
bool read_place(std::string_view text, GitUri& out) {
  if (text.empty() || text.size() > kUriBytesMax) return false;
  for (const auto& [word, subject] : kWords) {
    if (text == word) {
      out.subject = subject;
      return true;
    }
  }
  for (const auto& [word, subject] :
       {std::pair<std::string_view, Subject>{"commit/", Subject::kCommit}, {"diff/", Subject::kDiff}}) {
    if (!text.starts_with(word)) continue;
    const std::optional<std::string> argument = decode(text.substr(word.size()));
    if (!argument) return false;
    out.subject = subject;
    out.argument = *argument;
    return true;
  }
  out.is_folder = text.ends_with('/');
  if (out.is_folder) text.remove_suffix(1);
  const std::vector<std::string_view> segments = split(text);
  for (const std::string_view segment : segments) {
    std::optional<std::string> name = decode(segment);
    if (!name) return false;
    out.segments.push_back(*std::move(name));
  }
  out.may_be_commits = !out.is_folder && segments.size() > 1 && segments.back() == "commits";
  return true;
}

// A word as a name: its first letter is percent-encoded.
std::string escaped(std::string_view word) {
  return fmt::format("%{:02X}{}", static_cast<unsigned>(word.front()), word.substr(1));
}

}  // namespace

std::optional<GitUri> parse_uri(const ResourceUri& uri, Naming naming) {
  std::string_view rest = uri.text();
  if (!rest.starts_with(kBaseUri) || rest.find('#') != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(kBaseUri.size());
  const std::size_t mark = rest.find('?');
  std::string_view place = rest.substr(0, mark);
  GitUri out;
  if (naming == Naming::kSeveral) {
    const std::size_t slash = place.find('/');
    const std::optional<std::string> name = decode(place.substr(0, slash));
    if (!name || slash == std::string_view::npos) return std::nullopt;
    out.repository = *name;
    place.remove_prefix(slash + 1);
  }
  if (!read_place(place, out)) return std::nullopt;
  if (mark != std::string_view::npos && !read_query(rest.substr(mark + 1), out)) return std::nullopt;
  return out;
}

std::string uri_prefix(std::string_view repository, Naming naming) {
  std::string out(kBaseUri);
  if (naming == Naming::kSeveral) out += percent_encode(repository) + "/";
  return out;
}

std::string uri_at(std::string_view prefix, std::string_view ref, std::string_view path) {
  std::string out(prefix);
  out += ref == "commit" || ref == "diff" ? escaped(ref) : percent_encode(ref);
  return out + "/" + (path == "commits" ? escaped(path) : percent_encode_path(path));
}

std::string path_value(std::string_view path) {
  return path == "commits" ? escaped(path) : contents::template_value(path);
}

}  // namespace sluice::git
