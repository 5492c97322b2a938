#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/contents/uri_query.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::contents {

// What one read gives of a source, and of all sources that are read together.
inline constexpr std::size_t kContentBytesMax = 100 * 1024;

// The bytes behind a resource: a file, an object of a repository, the body of an answer.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t bytes() const = 0;
  // Up to `length` bytes from `offset`; fewer only where they end.
  virtual Result<std::string> read_at(std::uint64_t offset, std::size_t length) const = 0;
};

// Bytes that are in memory.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}  // They outlive this.
  std::uint64_t bytes() const override { return bytes_.size(); }
  Result<std::string> read_at(std::uint64_t offset, std::size_t length) const override;

 private:
  std::string_view bytes_;  // The caller's, who keeps them for as long as this is used.
};

struct ContentsRequest {
  std::string name;  // Its ending tells the type, else the content does.
  std::string uri;   // As the caller wrote it.
  Range range;
  std::string type;  // Where the source itself says what it is. Empty: it does not.
  // What `offset=…` is put behind to read on: ends with '?' or '&'. Empty: the URI without its parameters.
  std::string range_uri = {};
  // Bytes that the text may take as a JSON string, or other content in base64. See read_room().
  std::size_t room = SIZE_MAX;
  std::size_t binary_bytes_max = kContentBytesMax;  // Of content that is no text. At least kContentBytesMax.
};

// The contents of a resource: text as UTF-8, anything else as its bytes. Text that goes on beyond
// kContentBytesMax is cut with a mark, and `_meta` says how much there is (sluice/size) and which URI reads
// on (sluice/next); more than binary_bytes_max of other bytes is refused with the range to begin with. A
// range is of the source's bytes; of text it has every character whose last byte is in it, so that ranges
// that follow one another give the whole text. Content that exceeds `room` is treated like content beyond
// kContentBytesMax. Errors are those of read_failure.
Result<protocol::ResourceContents> read_contents(const ByteSource& source, const ContentsRequest& request);

// Text of our own making that may be long: a log, a patch. Cut as above, without a URI that reads on.
protocol::ResourceContents text_contents(std::string uri, std::string_view type, std::string text);

struct TextRequest {
  std::string uri;  // As the caller wrote it.
  std::string_view type;
  std::string_view text;  // UTF-8: all of it, or at least its beginning up to bytes_needed(range).
  Range range = {};
  std::size_t room = SIZE_MAX;  // As in ContentsRequest.
  std::string range_uri = {};   // As in ContentsRequest.
  bool is_beginning = false;    // `text` is not all of it, so its size is not known.
};
// The same text, where its URI takes `?offset=&length=` in bytes of the text.
protocol::ResourceContents text_contents(const TextRequest& request);

// How many bytes from the beginning of a text decide what a range of it shows, and whether more follows.
std::uint64_t bytes_needed(const Range& range);

// What a failed read is for the caller: nothing there, which is also said of what may not be opened; or a
// failed read, without a path. What the caller has cancelled, or had no more time, stays what it is.
Error read_failure(const Error& cause, const std::string& uri);

}  // namespace sluice::contents
