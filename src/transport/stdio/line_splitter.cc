#include "sluice/transport/line_splitter.h"

#include <utility>

namespace sluice::transport {

void LineSplitter::append(std::string_view bytes, const Sink& sink) {
  if (dropping_) return;
  if (line_.size() + bytes.size() > line_bytes_max_) {
    dropping_ = true;
    line_.clear();
    line_.shrink_to_fit();
    sink(Line{.text = {}, .too_long = true});
    return;
  }
  line_.append(bytes);
}

void LineSplitter::end_line(const Sink& sink) {
  if (std::exchange(dropping_, false)) return;
  std::string line = std::exchange(line_, {});
  if (line.ends_with('\r')) line.pop_back();
  if (line.find_first_not_of(" \t") == std::string::npos) return;
  sink(Line{.text = std::move(line)});
}

void LineSplitter::push(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) return append(bytes, sink);
    append(bytes.substr(0, newline), sink);
    end_line(sink);
    bytes.remove_prefix(newline + 1);
  }
}

void LineSplitter::finish(const Sink& sink) { end_line(sink); }

}  // namespace sluice::transport
