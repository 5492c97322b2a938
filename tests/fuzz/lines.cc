// However a pipe is cut into pieces, its lines are the same, and none is too long.
#include <string>
#include <vector>

#include "sluice/transport/line_splitter.h"

#include "property.h"

namespace {

std::vector<std::string> split(std::string_view input, std::size_t piece_bytes) {
  sluice::transport::LineSplitter splitter(64);
  std::vector<std::string> lines;
  const auto sink = [&](const sluice::transport::LineSplitter::Line& line) {
    lines.push_back(line.too_long ? "<too long>" : line.text);
  };
  for (std::size_t at = 0; at < input.size(); at += piece_bytes)
    splitter.push(input.substr(at, piece_bytes), sink);
  splitter.finish(sink);
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  const std::vector<std::string> whole = split(input, input.size() + 1);
  require(whole == split(input, 1), "pieces make the same lines");
  for (const std::string& line : whole)
    require(line.size() <= 64 && line.find('\n') == std::string::npos, "a line is bounded");
  return 0;
}
