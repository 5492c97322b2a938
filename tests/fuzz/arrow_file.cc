// Any bytes as a file of Arrow's IPC format: it is read or refused, and what is read lies within its buffers.
#include "sluice/arrow/arrow_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "property.h"

namespace {

using sluice::engine::Column;
using sluice::engine::ListCell;
using sluice::engine::TypeId;

// Touches every byte that a cell leads to.
std::size_t touch(const Column& column, std::size_t row) {
  if (column.is_null(row)) return 0;
  std::size_t sum = 0;
  switch (column.type->id) {
    case TypeId::kText:
      require(sluice::is_valid_utf8(column.text(row)), "text is UTF-8");
      [[fallthrough]];
    case TypeId::kBlob:
      for (const char c : column.text(row)) sum += static_cast<unsigned char>(c);
      return sum;
    case TypeId::kList:
    case TypeId::kMap: {
      const auto list = column.at<ListCell>(row);
      for (const Column& child : column.children) {
        for (std::uint64_t i = 0; i < list.size && i < 1'000; ++i) sum += touch(child, list.offset + i);
      }
      return sum;
    }
    case TypeId::kArray:
      for (std::uint64_t i = 0; i < column.type->array_size; ++i)
        sum += touch(column.children.front(), row * column.type->array_size + i);
      return sum;
    case TypeId::kStruct:
      for (const Column& child : column.children) sum += touch(child, row);
      return sum;
    default:
      return std::to_integer<std::size_t>(column.cells[row]);  // Cells have one byte at least.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int descriptor = ::memfd_create("arrow", MFD_CLOEXEC);
  require(descriptor >= 0, "there is a descriptor");
  require(::write(descriptor, data, size) == static_cast<ssize_t>(size), "the bytes can be written");
  auto file = sluice::arrow::ArrowFile::open({sluice::fs::Descriptor(descriptor), "arrow", size}, {});
  if (!file.ok()) return 0;
  std::vector<std::size_t> wanted((*file)->columns().size());
  std::iota(wanted.begin(), wanted.end(), 0);
  auto rows = (*file)->read(wanted, {}, *file);
  require(rows.ok(), "reading begins");
  std::size_t sum = 0;
  while (true) {
    const auto batch = (*rows)->next();
    if (!batch.ok() || *batch == nullptr) break;
    require((*batch)->columns.size() == wanted.size(), "a batch has the columns");
    for (const Column& column : (*batch)->columns) {
      for (std::size_t row = 0; row < (*batch)->rows && row < 10'000; ++row) sum += touch(column, row);
    }
  }
  static volatile std::size_t seen = 0;  // Without a use of the sum no cell would be read.
  seen = seen + sum;
  return 0;
}
