// However a stream is cut into pieces, its events are the same.
#include "sluice/transport/sse.h"

#include "property.h"

namespace {

std::vector<sluice::transport::SseEvent> parse(std::string_view input, std::size_t piece_bytes,
                                               bool& failed) {
  sluice::transport::SseParser parser(1024);
  std::vector<sluice::transport::SseEvent> events;
  for (std::size_t at = 0; at < input.size(); at += piece_bytes) {
    if (!parser.feed(input.substr(at, piece_bytes), events).ok()) {
      failed = true;
      break;
    }
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = text_of(data, size);
  bool whole_failed = false;
  bool pieces_failed = false;
  const auto whole = parse(input, input.size() + 1, whole_failed);
  const auto pieces = parse(input, 1, pieces_failed);
  require(whole_failed == pieces_failed, "pieces fail where the whole fails");
  require(whole.size() == pieces.size(), "pieces make the same events");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    require(whole[i].data == pieces[i].data && whole[i].id == pieces[i].id && whole[i].type == pieces[i].type,
            "events are equal");
    require(whole[i].data.size() <= 1024, "an event is bounded");
  }
  return 0;
}
