#include "download/file_bodies.h"

#include <algorithm>

namespace sluice::exports {

namespace {

constexpr std::size_t kFilePieceBytes = std::size_t{256} << 10U;

}  // namespace

Result<std::string> FileBody::next() {
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(kFilePieceBytes, bytes_.end - at_));
  if (most == 0) return std::string();
  SLUICE_TRY(std::string piece, file_->read_at(at_, most));
  if (piece.empty()) return internal_error("the file has become shorter");
  at_ += piece.size();
  return piece;
}

Result<std::string> GrowingBody::next() {
  SLUICE_TRY(std::string piece, conversion_->read(at_, kFilePieceBytes, stop_));
  at_ += piece.size();
  return piece;
}

}  // namespace sluice::exports
