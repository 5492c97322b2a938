#include "sluice/query/json_document.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/inspection/json_nesting.h"
#include "sluice/json/reader.h"

#include "file_encoding.h"

namespace sluice::query {

namespace {

// A catalog looks at every JSON file, so it does not read large ones whole.
constexpr std::uint64_t kShapeBytesMax = std::uint64_t{8} << 20U;
constexpr std::size_t kLineBytesMax = std::size_t{16} << 20U;  // As large as the engine takes an object.

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

bool JsonRowsScan::feed(std::string_view piece) {
  for (const char c : piece) {
    is_other_ = is_other_ || !take(c) || found_ > 1;
    if (is_other_) return false;
    ++offset_;
  }
  return true;
}

bool JsonRowsScan::take(char c) {
  if (is_in_string_) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      is_in_string_ = false;
    }
    return true;
  }
  if (is_blank(c)) return true;
  if (depth_ == 0) return take_outside(c);
  if (depth_ == 1) return take_member(c);
  if (depth_ == 2 && is_in_array_) {
    if (c == ',') {
      expects_element_ = true;
    } else if (expects_element_ && c != ']') {
      has_elements_ = true;
      has_objects_only_ = has_objects_only_ && c == '{';
      expects_element_ = false;
    }
  }
  if (c == '"') {
    is_in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    close();
  }
  return true;
}

// The object itself, and nothing before and behind it.
bool JsonRowsScan::take_outside(char c) {
  if (!is_over_ && offset_ < kUtf8Mark.size() && c == kUtf8Mark[static_cast<std::size_t>(offset_)])
    return true;
  if (is_over_ || c != '{') return false;
  object_begin_ = offset_;
  depth_ = 1;
  return true;
}

bool JsonRowsScan::take_member(char c) {
  if (c == '}') {
    close();
    return true;
  }
  switch (expects_) {
    case Expects::kKey:
      if (c != '"') return false;
      if (members_++ == 0) member_begin_ = offset_;
      is_in_string_ = true;
      expects_ = Expects::kColon;
      return true;
    case Expects::kColon:
      expects_ = Expects::kValue;
      return c == ':';
    case Expects::kValue:
      expects_ = Expects::kComma;
      if (c == '"') is_in_string_ = true;
      if (c != '[' && c != '{') return true;
      depth_ = 2;
      is_in_array_ = c == '[';
      if (!is_in_array_) return true;
      open_ = {.begin = offset_, .end = 0, .member_begin = member_begin_, .member_end = 0, .has_rest = false};
      has_objects_only_ = true;
      has_elements_ = false;
      expects_element_ = true;
      return true;
    case Expects::kComma:
      if (c != ',') return true;  // The rest of a number or a word.
      // Without its first member an object must not begin with a comma.
      if (found_ == 1 && members_ == 1) rows_.member_end = offset_ + 1;
      member_begin_ = offset_;
      expects_ = Expects::kKey;
      return true;
  }
  return true;
}

void JsonRowsScan::close() {
  --depth_;
  if (depth_ == 0) is_over_ = true;
  if (depth_ != 1 || !is_in_array_) return;
  is_in_array_ = false;
  if (!has_elements_ || !has_objects_only_) return;
  open_.end = offset_ + 1;
  open_.member_end = open_.end;
  if (found_++ == 0) rows_ = open_;
}

std::optional<JsonRows> JsonRowsScan::finish() const {
  if (is_other_ || !is_over_ || found_ != 1) return std::nullopt;
  JsonRows out = rows_;
  out.has_rest = members_ > 1;
  return out;
}

std::optional<JsonRows> JsonRowsScan::so_far() const {
  if (is_over_ || is_other_) return finish();
  const bool is_open = is_in_array_ && has_elements_ && has_objects_only_;
  if (found_ + (is_open ? 1 : 0) != 1) return std::nullopt;
  JsonRows out = is_open ? open_ : rows_;
  out.has_rest = members_ > 1;
  return out;
}

JsonShape shape_of_json(const fs::File& file, inspection::Compression compression,
                        const std::string& encoding) {
  const Result<std::unique_ptr<inspection::ByteStream>> stream =
      inspection::open_stream(file, compression, {});
  if (!stream.ok()) return {};
  JsonRowsScan scan;
  std::uint64_t bytes = 0;
  while (bytes < kShapeBytesMax) {
    const Result<std::string_view> piece = (*stream)->next();
    if (!piece.ok()) return {};
    if (bytes == 0) {
      const Result<FileEncoding> found = encoding_of(piece->substr(0, kBeginningBytes), encoding);
      if (!found.ok() || !equal_ignoring_case(found->charset, "UTF-8")) return {};
    }
    if (piece->empty()) break;
    bytes += piece->size();
    if (!scan.feed(*piece)) return {};
  }
  const std::optional<JsonRows> rows = scan.so_far();
  if (!rows) return {};
  return {.part = JsonPart::kRows, .has_rest = rows->has_rest};
}

std::optional<std::uint64_t> estimate_json_rows(const inspection::Beginning& beginning,
                                                std::uint64_t file_bytes) {
  JsonRowsScan scan;
  (void)scan.feed(beginning.bytes);
  const std::optional<JsonRows> rows = scan.so_far();
  if (!rows) return std::nullopt;
  const std::uint64_t end = rows->end == 0 ? beginning.bytes.size() : rows->end;
  inspection::JsonNesting nesting;
  std::uint64_t count = 0;
  std::size_t before = 0;
  for (std::uint64_t at = rows->begin; at < end; ++at) {
    if (!nesting.feed(std::string_view(&beginning.bytes[static_cast<std::size_t>(at)], 1))) break;
    if (nesting.depth() == 1 && before > 1) ++count;  // An element ends.
    before = nesting.depth();
  }
  if (beginning.is_whole || rows->end != 0) return count;
  const double part = static_cast<double>(std::max<std::uint64_t>(1, beginning.file_bytes_read)) /
                      static_cast<double>(std::max<std::uint64_t>(1, file_bytes));
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(static_cast<double>(count) / std::min(1.0, part))));
}

namespace {

struct BadJsonLine {
  std::uint64_t number = 0;  // From 1, blank lines included.
  std::string reason;
};

// The first line that is not JSON; nullopt if there is none.
Result<std::optional<BadJsonLine>> find_bad_json_line(inspection::ByteStream& stream) {
  std::string line;
  std::uint64_t number = 0;
  const auto check = [&]() -> std::optional<BadJsonLine> {
    ++number;
    const bool is_empty = std::all_of(line.begin(), line.end(), is_blank);
    const std::string_view text = number == 1 && line.starts_with(kUtf8Mark)
                                      ? std::string_view(line).substr(kUtf8Mark.size())
                                      : std::string_view(line);
    const Result<json::Value> value = json::read(text, {.bytes_max = kLineBytesMax,
                                                        .depth_max = inspection::kJsonLevelsMax + 1,
                                                        .values_max = kLineBytesMax});
    line.clear();
    // The engine takes a key that is repeated.
    const bool has_twins = !value.ok() && value.error().message.find("twice") != std::string::npos;
    if (is_empty || value.ok() || has_twins) return std::nullopt;
    return BadJsonLine{.number = number, .reason = value.error().message};
  };
  while (true) {
    SLUICE_TRY(std::string_view piece, stream.next());
    if (piece.empty()) break;
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      line += piece.substr(0, end);
      if (line.size() > kLineBytesMax) return std::optional<BadJsonLine>();
      if (end == std::string_view::npos) break;
      piece.remove_prefix(end + 1);
      if (std::optional<BadJsonLine> bad = check()) return bad;
    }
  }
  return line.empty() ? std::optional<BadJsonLine>() : check();
}

}  // namespace

Error with_bad_json_line(Error error, const fs::File& file, inspection::Compression compression,
                         const inspection::ReadLimits& limits) {
  if (error.kind != ErrorKind::kInvalidInput) return error;
  const Result<std::unique_ptr<inspection::ByteStream>> stream =
      inspection::open_stream(file, compression, limits);
  if (!stream.ok()) return error;
  const Result<std::optional<BadJsonLine>> bad = find_bad_json_line(**stream);
  if (!bad.ok() || !*bad) return error;
  return invalid_input(
             fmt::format("read JSON lines: line {} is not JSON: {}", (*bad)->number, (*bad)->reason))
      .with_code("unreadable_file")
      .with_hint("Every line has to be one JSON value; the file has to be repaired.");
}

}  // namespace sluice::query
