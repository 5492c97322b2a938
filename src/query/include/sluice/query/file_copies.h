#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/file.h"
#include "sluice/fs/private_folder.h"
#include "sluice/inspection/byte_stream.h"
#include "sluice/query/dataset.h"
#include "sluice/query/json_document.h"

namespace sluice::query {

enum class FileFormat : std::uint8_t;
struct SheetForm;

// Copies of files in a form that the engine reads, or reads faster: UTF-8 where a text is in another
// encoding, CSV of the sheets of workbooks, and columns that are not compressed. Made once for each version
// of a file; the least recently used go when there are too many bytes, and those of an older version at once.
// A copy that is being read stays until that ends; one that was changed from outside is not read. Any thread.
class FileCopies {
 public:
  // `clock` must outlive it.
  FileCopies(fs::PrivateFolder folder, std::uint64_t bytes_max, const Clock& clock);

  // One copy. Its file is removed with it.
  class Copy {
   public:
    Copy(const FileCopies& owner, std::string name, fs::File file);
    Copy(Copy&& other) noexcept;
    Copy& operator=(Copy&&) = delete;
    ~Copy();
    const fs::File& file() const { return file_; }
    // It is written: from here on it stays as it is now. Gives its bytes.
    Result<std::uint64_t> seal();
    bool is_intact() const;
    // Of the copy of a sheet: its columns. Null otherwise. Shared with whoever reads it.
    const std::shared_ptr<const SheetForm>& sheet() const { return sheet_; }
    void set_sheet(std::shared_ptr<const SheetForm> sheet) { sheet_ = std::move(sheet); }

   private:
    const FileCopies* owner_;  // Whoever holds a copy holds its FileCopies as well.
    std::string name_;         // Empty once it was moved from.
    fs::File file_;
    fs::FileStatus sealed_;
    std::shared_ptr<const SheetForm> sheet_;
  };
  using CopyPtr = std::shared_ptr<const Copy>;  // The cache, and whoever reads it.

  struct Source {
    std::string name;     // Of the dataset,
    std::string version;  // and what changes with its content.
    const fs::File& file;
    std::string charset;
  };
  // The text in UTF-8. Fails where the copy would be larger than all copies may be.
  Result<CopyPtr> get_text(const Source& source, const std::stop_token& stop);

  // A part of a JSON document, see JsonPart, as a document of its own that is not compressed. A document that
  // is none of those with parts is copied whole for kRows, and has no kRest. Fails where the copy would be
  // larger than all copies may be.
  Result<CopyPtr> get_json_part(const Source& source, JsonPart part, inspection::Compression compression,
                                const inspection::ReadLimits& limits);

  // A sheet of a workbook, as CSV.
  Result<CopyPtr> get_sheet(const Source& source, FileFormat format, std::size_t sheet,
                            const inspection::ReadLimits& limits);

  // The rows as a Parquet file, in the order and with the columns that the table of this version has. Null
  // where nobody has made it.
  CopyPtr find_columns(const Dataset::Identity& identity);
  // Makes it. Fails where Parquet would not keep every value as it is, or where it would be too large.
  Status make_columns(engine::Engine& engine, const Dataset& dataset, const Table& table,
                      const engine::RunLimits& limits);

 private:
  CopyPtr find_intact(const cache::Key& key);
  Result<Copy> convert(const Source& source, const std::stop_token& stop) const;
  Result<Copy> cut_out(const Source& source, JsonPart part, inspection::Compression compression,
                       const inspection::ReadLimits& limits) const;
  Result<Copy> convert_sheet(const Source& source, FileFormat format, std::size_t sheet,
                             const inspection::ReadLimits& limits) const;
  Result<Copy> write_columns(engine::Engine& engine, const Dataset& dataset, const Table& table,
                             const engine::RunLimits& limits) const;

  const fs::PrivateFolder folder_;
  const std::uint64_t bytes_max_;
  cache::Cache<Copy> copies_;  // Last: its values remove their files from the folder.
};

}  // namespace sluice::query
