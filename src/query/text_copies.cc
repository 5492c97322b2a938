#include "sluice/query/text_copies.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/crypto/random.h"
#include "sluice/text/utf8_converter.h"

namespace sluice::query {

namespace {

constexpr std::chrono::hours kLifetime{24};
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

Error too_large(std::uint64_t bytes_max) {
  return limit_reached("bytes of a copy in UTF-8", bytes_max)
      .with_code("unsupported_encoding")
      .with_hint("The file is too large to be converted here: convert it to UTF-8.");
}

}  // namespace

TextCopies::Copy::Copy(const TextCopies& owner, std::string name, fs::File file)
    : owner_(&owner), name_(std::move(name)), file_(std::move(file)) {}

TextCopies::Copy::Copy(Copy&& other) noexcept
    : owner_(other.owner_), name_(std::exchange(other.name_, {})), file_(std::move(other.file_)) {}

TextCopies::Copy::~Copy() {
  if (!name_.empty()) (void)owner_->folder_.remove(name_);
}

TextCopies::TextCopies(fs::PrivateFolder folder, std::uint64_t bytes_max, const Clock& clock)
    : folder_(std::move(folder)),
      bytes_max_(bytes_max),
      copies_(clock, {.entries_max = kCacheEntriesMax, .bytes_max = bytes_max}) {}

Result<TextCopies::Copy> TextCopies::make(const Source& source, const std::stop_token& stop) const {
  SLUICE_TRY(text::Utf8Converter converter, text::Utf8Converter::open(source.charset));
  const std::string name = crypto::random_token() + ".txt";
  SLUICE_TRY(fs::FileWriter writer, folder_.create(name));
  SLUICE_TRY(fs::File opened, folder_.root().open_beneath(name));
  Copy copy(*this, name, std::move(opened));  // From here on a failure removes the file.
  using Piece = text::Utf8Converter::Piece;
  std::uint64_t offset = 0;
  while (true) {
    if (stop.stop_requested()) return cancelled();
    SLUICE_TRY(const std::string bytes, source.file.read_at(offset, kPieceBytes));
    offset += bytes.size();
    std::string out;
    converter.convert(bytes, bytes.size() < kPieceBytes ? Piece::kLast : Piece::kMore, out);
    if (writer.bytes() + out.size() > bytes_max_) return too_large(bytes_max_);
    SLUICE_CHECK(writer.write(out));
    if (bytes.size() < kPieceBytes) return copy;
  }
}

Result<std::shared_ptr<const TextCopies::Copy>> TextCopies::get(const Source& source,
                                                                const std::stop_token& stop) {
  const std::string prefix = source.name + '\0';
  const cache::Key key{.scope = cache::Scope::shared(),
                       .text = prefix + source.version + '\0' + source.charset};
  if (const auto found = copies_.find(key)) return found;
  copies_.invalidate_prefix(prefix);
  const auto load = [&](const std::stop_token& asked) -> Result<cache::Loaded<Copy>> {
    SLUICE_TRY(Copy copy, make(source, asked));
    SLUICE_TRY(const fs::FileStatus status, copy.file().status());
    return cache::Loaded<Copy>{.value = std::move(copy), .bytes = status.bytes, .lifetime = kLifetime};
  };
  return copies_.get_or_load(key, load, stop);
}

}  // namespace sluice::query
