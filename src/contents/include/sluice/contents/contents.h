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
};

// The contents of a resource: text as UTF-8, anything else as its bytes. Text that goes on beyond
// kContentBytesMax is cut with a mark, and `_meta` says how much there is (sluice/size) and which URI reads
// on (sluice/next); so much of other bytes is refused with the range to begin with. A range is of the
// source's bytes; of text it has every character whose last byte is in it, so that ranges that follow one
// another give the whole text. Errors are those of read_failure.
Result<protocol::ResourceContents> read_contents(const ByteSource& source, const ContentsRequest& request);

// Text of our own making that may be long: a log, a patch. Cut as above, without a URI that reads on.
protocol::ResourceContents text_contents(std::string uri, std::string_view type, std::string text);

// What a failed read is for the caller: nothing there, which is also said of what may not be opened; or a
// failed read, without a path. What the caller has cancelled, or had no more time, stays what it is.
Error read_failure(const Error& cause, const std::string& uri);

}  // namespace sluice::contents
