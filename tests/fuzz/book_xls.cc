#include "book.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_any_book(data, size, sluice::sheets::BookFormat::kXls);
  return 0;
}
