#pragma once

#include "sluice/query/file_dataset.h"
#include "sluice/sheets/book.h"

namespace sluice::query {

// Of a format that is_book().
sheets::BookFormat book_format(FileFormat format);

}  // namespace sluice::query
