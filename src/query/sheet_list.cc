#include "sheet_list.h"

#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::query {

namespace {

// Nobody waits for a list, but other files do.
constexpr std::chrono::seconds kListTimeout{20};
constexpr std::size_t kSheetNameBytesMax = 200;

// A name that is one part of a path, and can be seen.
std::string visible_name(std::string_view name, std::size_t number) {
  std::string out;
  for (const char c : encode_controls(name)) {
    if (c == '/') {
      out += "%2F";
    } else {
      out += c;
    }
  }
  if (out.size() > kSheetNameBytesMax) out = excerpt(out, kSheetNameBytesMax);
  const bool has_letters = out.find_first_not_of(". ") != std::string::npos;
  return has_letters ? out : fmt::format("Sheet{}", number);
}

}  // namespace

sheets::BookFormat book_format(FileFormat format) {
  if (format == FileFormat::kOds) return sheets::BookFormat::kOds;
  return format == FileFormat::kXls ? sheets::BookFormat::kXls : sheets::BookFormat::kXlsx;
}

Result<std::vector<std::string>> list_sheets(const fs::File& file, FileFormat format) {
  const inspection::ReadLimits limits{.deadline = system_clock().now() + kListTimeout, .stop = {}};
  SLUICE_TRY(const std::unique_ptr<sheets::Book> book, sheets::open_book(file, book_format(format), limits));
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const std::string& name : book->sheets()) {
    std::string visible = visible_name(name, out.size() + 1);
    while (!taken.insert(to_lower_ascii(visible)).second) visible += '_';
    out.push_back(std::move(visible));
  }
  return out;
}

}  // namespace sluice::query
