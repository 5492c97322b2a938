#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/fs/file.h"
#include "sluice/fs/root.h"
#include "sluice/inspection/byte_stream.h"
#include "sluice/query/dataset.h"
#include "sluice/query/file_copies.h"
#include "sluice/query/json_document.h"

namespace sluice::query {

struct TextReader;

enum class FileFormat : std::uint8_t {
  kCsv,
  kTsv,
  kJson,
  kNdjson,
  kParquet,
  kXlsx,
  kOds,
  kXls,
  kDuckdb,
  kArrow
};
using inspection::Compression;

// How a file is read.
struct FileForm {
  FileFormat format = FileFormat::kCsv;
  Compression compression = Compression::kNone;
  JsonPart part = JsonPart::kWhole;  // Another one only of kJson in UTF-8, and with copies.
  std::uint16_t sheet = 0;           // Which sheet of a workbook, see list_sheets().
  bool is_only_sheet = false;        // Its dataset also answers to the name of the workbook.
  bool keeps_ending = false;         // Files beside it are named after it with its endings.
  bool is_read_once = false;         // No copy in columns is made of it.
  std::uint64_t buffer_bytes = 0;  // In which CSV is read: less memory for more work. 0: as the engine does.
};

// What a file's name says about its content.
struct FileKind : FileForm {
  std::string stem;  // The path without its endings: `sales/2024` of `sales/2024.csv.gz`.
};

// Nothing where the ending is none of ours: .csv, .tsv, .json, .geojson, .ndjson, .jsonl, each with .gz or
// .zst, .parquet, .xlsx, .ods, .xls, .duckdb, .arrow, .feather, .ipc.
std::optional<FileKind> kind_of_file(std::string_view path);
std::string_view to_string(FileFormat format);

bool is_read_by_engine(FileFormat format);  // As it is.
bool is_book(FileFormat format);            // A workbook, which holds one table or several.
// The names of a workbook's sheets, as they may stand in the names of datasets; no two are the same. Reads
// most of an OpenDocument file, and little of the others.
Result<std::vector<std::string>> list_sheets(const fs::File& file, FileFormat format);

// A dataset that is one file beneath a served folder, or a sheet of one. A table of a DuckDB file is none,
// see duck_files.h.
class FileDataset final : public Dataset {
 public:
  // Without `copies`, workbooks and files in encodings that the engine does not read itself are refused.
  FileDataset(Identity identity, std::shared_ptr<const fs::Root> root, const FileForm& form,
              std::shared_ptr<FileCopies> copies = nullptr);

  Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const override;
  Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                        const expression::Question* question) const override;
  bool is_current() const override;
  // Another name that it answers to where no dataset has that name; empty: none. Lives as long as this.
  std::string_view other_name() const;
  void count_quickly(Monotonic deadline) const override;
  std::optional<int> questions_before_copy() const override;
  Result<std::string> read_beside(std::string_view suffix) const override;
  std::string path_beside(std::string_view suffix) const override;

 private:
  // What the engine is given: the file, or its copy.
  struct Readable {
    const fs::File* file = nullptr;  // Part of the lease.
    std::shared_ptr<const void> lease;
  };

  struct Lease;
  // How a text file is stored.
  struct Stored {
    inspection::Beginning beginning;
    std::string options;  // For the engine: compression, encoding, buffers.
  };

  bool is_csv() const;
  FileForm stored_form() const;
  Result<fs::File> open_listed() const;
  Result<FileCopies::CopyPtr> copy_sheet(const fs::File& listed, const engine::RunLimits& limits) const;
  Result<Table> look_at_sheet(engine::Engine& engine, const engine::RunLimits& limits) const;
  Status find_encoding(const fs::File& file, Table& table) const;
  Readable readable_copy(FileCopies::CopyPtr copy) const;
  Result<Readable> readable_of(fs::File listed, const Table& table, const engine::RunLimits& limits) const;
  std::optional<Relation> open_columns() const;
  Result<TextReader> text_reader(engine::Engine& engine, const engine::RunLimits& limits,
                                 const fs::File& file, Stored& stored) const;
  Result<Table> look_at(engine::Engine& engine, const engine::RunLimits& limits) const;

  const std::shared_ptr<const fs::Root> root_;  // Shared by the datasets of the folder.
  const FileForm form_;
  const std::shared_ptr<FileCopies> copies_;  // Shared by all datasets. May be null.
};

}  // namespace sluice::query
