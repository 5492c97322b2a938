#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "sluice/protocol/exchange.h"
#include "sluice/query/snapshot.h"

#include "download/conversions.h"
#include "http/byte_range.h"

namespace sluice::exports {

// Bytes of a file, read while they are sent.
class FileBody final : public protocol::Body {
 public:
  // `file` is shared with whoever reads the same one.
  FileBody(query::FilePtr file, ByteRange bytes) : file_(std::move(file)), bytes_(bytes), at_(bytes.begin) {}
  Result<std::string> next() override;
  std::optional<std::uint64_t> bytes() const override { return bytes_.end - bytes_.begin; }

 private:
  const query::FilePtr file_;
  const ByteRange bytes_;
  std::uint64_t at_;
};

// A file that is still being made, read as it grows.
class GrowingBody final : public protocol::Body {
 public:
  // `conversion` is shared with whoever reads the same file.
  GrowingBody(std::shared_ptr<Conversion> conversion, std::stop_token stop)
      : conversion_(std::move(conversion)), stop_(std::move(stop)) {}
  Result<std::string> next() override;

 private:
  const std::shared_ptr<Conversion> conversion_;
  const std::stop_token stop_;
  std::uint64_t at_ = 0;
};

}  // namespace sluice::exports
