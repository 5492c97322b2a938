#include "journal.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sluice/crypto/digest.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/file_moves.h"

namespace sluice::records {

namespace {

constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kPrefixBytes = kDigestBytes + 1;
constexpr std::size_t kReadChunkBytes = std::size_t{256} << 10U;
constexpr std::string_view kEnding = ".log";

std::string digest_of(std::string_view json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char byte : crypto::sha256(json).substr(0, kDigestBytes / 2)) {
    const auto bits = static_cast<unsigned char>(byte);
    out += kDigits[bits >> 4U];
    out += kDigits[bits & 15U];
  }
  return out;
}

std::string line_of(std::string_view json) {
  std::string out = digest_of(json);
  out.reserve(kPrefixBytes + json.size() + 1);
  out += ' ';
  out += json;
  out += '\n';
  return out;
}

bool is_whole(std::string_view line) {
  return line.size() > kPrefixBytes && line[kDigestBytes] == ' ' &&
         digest_of(line.substr(kPrefixBytes)) == line.substr(0, kDigestBytes);
}

// `line` begins at the place's offset.
void move_behind(JournalPlace& place, std::string_view line) {
  place.last = place.offset;
  place.mark = line.substr(0, kDigestBytes);
  place.offset += line.size() + (line.ends_with('\n') ? 0 : 1);
}

std::uint64_t segment_number_of(std::string_view name) {
  std::uint64_t number = 0;
  if (!name.ends_with(kEnding)) return 0;
  name.remove_suffix(kEnding.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

}  // namespace

Journal::Journal(const fs::Root& root, std::string_view data_type)
    : root_(root), data_type_(data_type), folder_(fmt::format("_journal/{}", data_type)) {}

std::string Journal::path_of(std::uint64_t segment) const {
  return fmt::format("{}/{:08}{}", folder_, segment, kEnding);
}

Error Journal::damaged(std::uint64_t segment) const {
  return internal_error("read the journal of " + data_type_ + ": it is damaged: " + path_of(segment))
      .with_code("journal_damaged")
      .with_hint(
          "Nothing is changed until it is repaired: restore the file from a backup, or move the folder away "
          "to go "
          "on from the Parquet file alone.");
}

Result<std::vector<std::uint64_t>> Journal::segments() const {
  const Result<fs::Listing> listing = root_.list(folder_);
  std::vector<std::uint64_t> out;
  if (!listing.ok()) {
    if (listing.error().kind == ErrorKind::kNotFound) return out;
    return listing.error();
  }
  for (const fs::Entry& entry : listing->entries) {
    const std::uint64_t number = segment_number_of(entry.name);
    if (number > 0) out.push_back(number);
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool Journal::has_segment(std::uint64_t segment) const { return root_.stat(path_of(segment)).ok(); }

Result<std::uint64_t> Journal::bytes_of(std::uint64_t segment) const {
  SLUICE_TRY(const fs::Entry entry, root_.stat(path_of(segment)));
  return entry.bytes;
}

Result<WallTime> Journal::modified(std::uint64_t segment) const {
  SLUICE_TRY(const fs::Entry entry, root_.stat(path_of(segment)));
  return entry.modified;
}

Result<std::vector<std::string>> Journal::read_on(JournalPlace& place) const {
  std::vector<std::string> out;
  SLUICE_TRY(const fs::File file, root_.open_beneath(path_of(place.segment)));
  if (!place.mark.empty()) {
    SLUICE_TRY(const std::string mark, file.read_at(place.last, kDigestBytes));
    if (mark != place.mark)
      return conflict("read the journal: it was cut meanwhile").with_code("journal_changed");
  }
  std::string rest;
  std::uint64_t read_to = place.offset;
  bool broken = false;
  while (true) {
    SLUICE_TRY(const std::string chunk, file.read_at(read_to, kReadChunkBytes));
    if (chunk.empty()) return out;
    read_to += chunk.size();
    std::size_t searched = rest.size();
    rest += chunk;
    if (rest.size() > kJournalLineBytesMax) return damaged(place.segment);
    std::size_t begin = 0;
    for (std::size_t end = rest.find('\n', searched); end != std::string::npos;
         end = rest.find('\n', begin)) {
      const std::string_view line = std::string_view(rest).substr(begin, end - begin);
      if (!is_whole(line)) {
        broken = true;  // Only the very last line may be: it was being written when the power went.
      } else if (broken) {
        return damaged(place.segment);
      } else {
        out.emplace_back(line.substr(kPrefixBytes));
        move_behind(place, line);
      }
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
}

Status Journal::read_back(std::uint64_t segment,
                          const std::function<bool(std::string_view json)>& visit) const {
  SLUICE_TRY(const fs::File file, root_.open_beneath(path_of(segment)));
  SLUICE_TRY(const fs::FileStatus status, file.status());
  std::uint64_t from = status.bytes;
  std::string rest;  // Of the file from `from` on, up to the last line that was visited.
  while (true) {
    // Every line in `rest` whose beginning is known.
    while (!rest.empty()) {
      if (rest.back() != '\n') {  // The end of a line that is not whole.
        const std::size_t last = rest.rfind('\n');
        if (last == std::string::npos) break;
        rest.resize(last + 1);
        continue;
      }
      const std::size_t before = rest.size() < 2 ? std::string::npos : rest.rfind('\n', rest.size() - 2);
      if (before == std::string::npos && from > 0) break;
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      const std::string_view line = std::string_view(rest).substr(begin, rest.size() - 1 - begin);
      if (is_whole(line) && !visit(line.substr(kPrefixBytes))) return {};
      rest.resize(begin);
    }
    if (from == 0) return {};
    const std::uint64_t step = std::min<std::uint64_t>(from, std::max(kReadChunkBytes, rest.size()));
    if (rest.size() > kJournalLineBytesMax) return damaged(segment);
    from -= step;
    SLUICE_TRY(std::string chunk, file.read_at(from, std::min<std::size_t>(step, kFileReadBytesMax)));
    if (chunk.size() != step)
      return unavailable("read the journal: it was cut meanwhile").with_code("journal_changed");
    rest.insert(0, chunk);
  }
}

Status Journal::append(JournalPlace& place, std::string_view json) const {
  const std::string path = path_of(place.segment);
  if (json.size() > kJournalLineBytesMax / 2)
    return limit_reached("bytes in one operation", kJournalLineBytesMax / 2);
  SLUICE_TRY(const fs::Entry entry, root_.stat(path));
  if (entry.bytes < place.offset) return damaged(place.segment);
  if (entry.bytes > place.offset) SLUICE_CHECK(fs::cut_file(root_, path, place.offset));
  const std::string line = line_of(json);
  SLUICE_CHECK(fs::append_durable(root_, path, line));
  move_behind(place, line);
  return {};
}

Status Journal::begin_segment(JournalPlace& place, std::string_view json) const {
  if (place.segment == 0) {
    SLUICE_CHECK(fs::make_folder(root_, "_journal"));
    SLUICE_CHECK(fs::make_folder(root_, folder_));
  }
  const std::string line = line_of(json);
  SLUICE_CHECK(fs::replace_file(root_, path_of(place.segment + 1), line));
  place = {.segment = place.segment + 1, .offset = 0, .last = 0, .mark = {}};
  move_behind(place, line);
  return {};
}

Status Journal::remove_segment(std::uint64_t segment) const {
  return fs::remove_file(root_, path_of(segment));
}

}  // namespace sluice::records
