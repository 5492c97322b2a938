#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "sluice/base/limits.h"
#include "sluice/transport/line_splitter.h"

namespace sluice::client {

// What a child writes to its standard error: each line to the log, the last of them kept. One thread writes.
class ErrorTail {
 public:
  void push(std::string_view bytes);
  void finish();
  std::string text() const;  // Any thread.

 private:
  void take(const transport::LineSplitter::Line& line);

  transport::LineSplitter splitter_{kChildErrorLineBytesMax};
  mutable std::mutex mutex_;
  std::string tail_;  // Guarded.
};

}  // namespace sluice::client
