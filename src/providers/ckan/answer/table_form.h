#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/query/file_dataset.h"

namespace sluice::ckan {

enum class Container : std::uint8_t { kNone, kZip };

// What a file is by its first bytes, whatever the portal calls it.
struct TableForm {
  Container container = Container::kNone;
  query::FileKind kind;
  std::string encoding;  // To be told to whoever reads it; empty: it can be seen.
};

// What the portal and the file's server say.
struct Stated {
  std::string format;   // "CSV"
  std::string name;     // The last part of the URL, or of the name in an archive.
  std::string charset;  // Of Content-Type.
};

// unsupported_file where it is no table: a page, a picture, a workbook.
Result<TableForm> form_of(std::string_view beginning, const Stated& stated);

// Whether something in an archive is called as tables are.
bool is_table_name(std::string_view name);

}  // namespace sluice::ckan
