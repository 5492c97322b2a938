#pragma once

#include <string>
#include <string_view>

#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
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
  mutable Mutex mutex_;
  std::string tail_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::client
