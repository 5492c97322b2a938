#include "error_tail.h"

#include "sluice/base/log.h"

namespace sluice::client {

void ErrorTail::push(std::string_view bytes) {
  splitter_.push(bytes, [this](const transport::LineSplitter::Line& line) { take(line); });
}

void ErrorTail::finish() {
  splitter_.finish([this](const transport::LineSplitter::Line& line) { take(line); });
}

void ErrorTail::take(const transport::LineSplitter::Line& line) {
  const std::string_view text = line.too_long ? std::string_view("(a line that is too long)") : line.text;
  log::debug("client.server_says", {{"line", text}});
  const MutexLock lock(mutex_);
  tail_.append(text).append("\n");
  if (tail_.size() <= kChildErrorTailBytes) return;
  const std::size_t cut = tail_.find('\n', tail_.size() - kChildErrorTailBytes);
  tail_.erase(0, cut == std::string::npos ? tail_.size() : cut + 1);
}

std::string ErrorTail::text() const {
  const MutexLock lock(mutex_);
  return tail_;
}

}  // namespace sluice::client
