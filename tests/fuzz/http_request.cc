// However a request is cut into pieces, it is understood, or refused, the same way.
#include "http/request_parser.h"
#include "property.h"

namespace {

struct Outcome {
  bool done = false;
  int status = 0;
  std::string target;
  std::string body;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome parse(std::string_view input, std::size_t piece_bytes) {
  sluice::transport::RequestParser parser(4096);
  std::string offered;
  std::size_t at = 0;
  while (!parser.failed() && !parser.done() && (at < input.size() || !offered.empty())) {
    const std::size_t before = offered.size();
    offered += input.substr(at, piece_bytes);
    at = std::min(input.size(), at + piece_bytes);
    std::size_t taken = 1;
    while (taken > 0 && !offered.empty() && !parser.failed() && !parser.done()) {
      taken = parser.head_done() ? parser.put_body(offered) : parser.put_head(offered);
      require(taken <= offered.size(), "no more is taken than was offered");
      offered.erase(0, taken);
      if (parser.head_done() && parser.declares_too_much()) return Outcome{.done = false, .status = 413};
    }
    if (at == input.size() && offered.size() == before) break;
  }
  return Outcome{.done = parser.done() && !parser.failed(),
                 .status = parser.status(),
                 .target = parser.done() ? parser.head().http.target : "",
                 .body = parser.done() ? parser.body() : ""};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  const Outcome whole = parse(input, input.size() + 1);
  const Outcome pieces = parse(input, 3);
  if (whole.done) {
    require(pieces == whole, "pieces make the same request");
    require(whole.body.size() <= 4096, "a body is bounded");
  }
  return 0;
}
