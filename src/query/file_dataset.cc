#include "sluice/query/file_dataset.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/inspection/json_nesting.h"
#include "sluice/inspection/parquet_footer.h"

#include "columns.h"
#include "csv_form.h"
#include "csv_shape.h"
#include "file_encoding.h"
#include "json_form.h"
#include "quick_count.h"
#include "reader_arguments.h"
#include "select_list.h"
#include "sheet_form.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

constexpr std::uint64_t kWholeSniffBytes = std::uint64_t{64}
                                           << 20U;  // Up to here every row decides on the types.
// Making a copy in columns takes as long as a few questions about a text, which is read whole for each; and
// as long as some tens about a Parquet file, where it saves the decompression. Smaller files are read in
// milliseconds.
struct CopyRule {
  std::uint64_t bytes_min;
  int questions;
};
constexpr CopyRule kTextRule{.bytes_min = std::uint64_t{1} << 20U, .questions = 2};
// Workbooks are compressed, and what is made of them at first is read by one thread.
constexpr CopyRule kBookRule{.bytes_min = std::uint64_t{64} << 10U, .questions = 1};
constexpr std::uint64_t kSmallBookBytes = std::uint64_t{1} << 20U;  // Which are counted by reading them.
constexpr CopyRule kParquetRule{.bytes_min = std::uint64_t{16} << 20U, .questions = 8};
constexpr std::size_t kBesideBytesMax = std::size_t{1} << 20U;

// The engine is given a descriptor, not a name: what was opened beneath the folder is what is read, whatever
// is renamed or linked meanwhile.
std::string descriptor_path(const fs::File& file) {
  return fmt::format("/proc/self/fd/{}", file.descriptor());
}

// Whether the content of a file, decompressed, has no more than that many bytes. A small file may hold
// gigabytes.
Result<bool> is_within(const fs::File& file, Compression compression, std::uint64_t bytes_max,
                       const inspection::ReadLimits& limits) {
  SLUICE_TRY(const fs::FileStatus status, file.status());
  if (status.bytes > bytes_max || compression == Compression::kNone) return status.bytes <= bytes_max;
  SLUICE_TRY(const std::unique_ptr<inspection::ByteStream> stream,
             inspection::open_stream(file, compression, limits));
  std::uint64_t bytes = 0;
  while (true) {
    SLUICE_TRY(const std::string_view piece, stream->next());
    bytes += piece.size();
    if (piece.empty() || bytes > bytes_max) return bytes <= bytes_max;
  }
}

// The bytes of a line, by the beginning of a file that has a row in each; 0 where that says nothing.
double line_bytes(std::string_view beginning, FileFormat format) {
  if (format == FileFormat::kJson) return 0;
  const auto lines = std::count(beginning.begin(), beginning.end(), '\n');
  return lines == 0 ? 0 : static_cast<double>(beginning.size()) / static_cast<double>(lines);
}

std::string call_of(const FileScan& scan) {
  return fmt::format("{}({}{})", scan.function, quote_text(scan.path), scan.arguments);
}

// What is nested too deep would end the process: the engine's parsers are recursive.
Status check_nesting(const fs::File& file, const FileForm& form, const inspection::ReadLimits& limits) {
  switch (form.format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv:
      return {};
    case FileFormat::kJson:
    case FileFormat::kNdjson:
      return inspection::check_json_nesting(file, form.compression, limits);
    case FileFormat::kParquet:
      SLUICE_CHECK(inspection::read_parquet_footer(file));
      return {};
    case FileFormat::kXlsx:
    case FileFormat::kOds:
    case FileFormat::kXls:
    case FileFormat::kDuckdb:
    case FileFormat::kArrow:
      return {};
  }
  return {};
}

}  // namespace

// What keeps a copy where it is while it is read.
struct FileDataset::Lease {
  std::shared_ptr<FileCopies> copies;  // Outlives its copy.
  FileCopies::CopyPtr copy;
};

FileDataset::FileDataset(Identity identity, std::shared_ptr<const fs::Root> root, const FileForm& form,
                         std::shared_ptr<FileCopies> copies)
    : Dataset(std::move(identity)), root_(std::move(root)), form_(form), copies_(std::move(copies)) {}

// A file that is not the one that was listed is not read: what is known of its columns is of the other one,
// and values could come under the wrong names.
Result<fs::File> FileDataset::open_listed() const {
  const auto changed = [this](std::string_view how) {
    return conflict(fmt::format("read dataset: its file {}: {}", how, excerpt(name())))
        .with_code("dataset_changed")
        .with_hint("Ask again in a moment; the catalog lists what there is now.");
  };
  Result<fs::File> file = root_->open_beneath(identity().path);
  if (!file.ok() && file.error().kind == ErrorKind::kUnavailable)
    return std::move(file).error().with_code("unreadable_file").with_hint("Try again later.");
  if (!file.ok()) return changed("is gone, or is no file that may be read");
  SLUICE_TRY(const fs::FileStatus status, file->status());
  if (status.bytes != identity().bytes || status.modified != identity().modified)
    return changed("has changed since it was listed");
  return file;
}

// A sheet's name has no slash.
std::string_view FileDataset::other_name() const {
  return form_.is_only_sheet ? std::string_view(name()).substr(0, name().rfind('/')) : std::string_view();
}

bool FileDataset::is_current() const {
  const Result<fs::Entry> entry = root_->stat(identity().path);
  return entry.ok() && entry->bytes == identity().bytes && entry->modified == identity().modified;
}

Result<Table> FileDataset::inspect(engine::Engine& engine, const engine::RunLimits& limits) const {
  Result<Table> table = look_at(engine, limits);
  // The caller has given nothing yet that could be wrong.
  if (!table.ok() && table.error().kind == ErrorKind::kInvalidInput) {
    const bool is_explained = table.error().code == "unreadable_file" && !table.error().hint.empty();
    return make_error(ErrorKind::kUnavailable, table.error().message)
        .with_code("unreadable_file")
        .with_hint(is_explained ? table.error().hint : "The file is broken, or not what its name says.");
  }
  return table;
}

void FileDataset::count_quickly(Monotonic deadline) const {
  if (count_state() != CountState::kPending) return;
  if (form_.part == JsonPart::kRest) {
    set_row_count(1);
    return;
  }
  if (is_book(form_.format) && identity().bytes > kSmallBookBytes) return;
  const Result<fs::File> file = open_listed();
  if (!file.ok()) return;  // It has changed: another dataset takes the place of this one soon.
  if (is_book(form_.format)) {
    const Result<FileCopies::CopyPtr> copy = copy_sheet(*file, {.deadline = deadline, .stop = {}});
    if (copy.ok()) set_row_count((*copy)->sheet()->rows);
    return;
  }
  if (form_.part == JsonPart::kRows) {
    const Result<inspection::Beginning> beginning =
        inspection::read_beginning(*file, form_.compression, kBeginningBytes, {});
    if (!beginning.ok()) return;
    if (const std::optional<std::uint64_t> rows = estimate_json_rows(*beginning, identity().bytes))
      set_row_estimate(*rows);
    return;
  }
  const Result<QuickCount> count = query::count_quickly(*file, form_, collection().encoding, deadline);
  if (!count.ok()) {
    set_count_failed(count.error().message);
  } else if (count->is_exact) {
    set_row_count(count->rows);
  } else {
    set_row_estimate(count->rows);
  }
}

bool FileDataset::is_csv() const {
  return form_.format == FileFormat::kCsv || form_.format == FileFormat::kTsv;
}

// How what the engine is given is stored.
FileForm FileDataset::stored_form() const {
  FileForm out = form_;
  if (form_.part != JsonPart::kWhole) out.compression = Compression::kNone;
  return out;
}

// UTF-8 is read as it is, and Latin-1 by the engine itself. Everything else is copied; what the engine would
// read as UTF-16 has no characters beyond U+FFFF.
Status FileDataset::find_encoding(const fs::File& file, Table& table) const {
  table.encoding = "UTF-8";
  if (form_.format == FileFormat::kParquet || form_.part != JsonPart::kWhole) return {};
  const std::string& configured = collection().encoding;
  if (form_.compression != Compression::kNone) {
    if (configured.empty() || equal_ignoring_case(configured, "UTF-8")) return {};
    return unsupported("read text: a compressed file has to be UTF-8")
        .with_code("unsupported_encoding")
        .with_hint("Convert the file to UTF-8.");
  }
  SLUICE_TRY(const std::string beginning, file.read_at(0, kBeginningBytes));
  SLUICE_TRY(const FileEncoding found, encoding_of(beginning, configured));
  table.encoding = found.charset;
  table.encoding_known_by = found.known_by;
  if (is_csv() && copies_ && has_hidden_quote(beginning)) {
    table.is_copied = true;
    return {};
  }
  if (equal_ignoring_case(found.charset, "UTF-8") || (is_csv() && found.charset == "ISO-8859-1")) return {};
  table.is_copied = copies_ != nullptr;
  if (table.is_copied || !encoding_argument(found.charset, is_csv()).empty()) return {};
  return unsupported("read text: its encoding is " + excerpt(found.charset))
      .with_code("unsupported_encoding")
      .with_hint("Convert the file to UTF-8.");
}

FileDataset::Readable FileDataset::readable_copy(FileCopies::CopyPtr copy) const {
  const auto lease = std::make_shared<const Lease>(Lease{.copies = copies_, .copy = std::move(copy)});
  return Readable{.file = &lease->copy->file(), .lease = lease};
}

Result<FileDataset::Readable> FileDataset::readable_of(fs::File listed, const Table& table,
                                                       const engine::RunLimits& limits) const {
  FileCopies::CopyPtr copy;
  const FileCopies::Source source{
      .name = name(), .version = identity().version, .file = listed, .charset = table.encoding};
  if (is_book(form_.format)) {
    SLUICE_TRY(copy, copy_sheet(listed, limits));
  } else if (form_.part != JsonPart::kWhole) {
    SLUICE_TRY(copy, copies_->get_json_part(source, form_.part, form_.compression,
                                            {.deadline = limits.deadline, .stop = limits.stop}));
  } else if (table.is_copied) {
    SLUICE_TRY(copy, copies_->get_text(source, limits.stop));
  }
  if (copy) return readable_copy(std::move(copy));
  auto file = std::make_shared<const fs::File>(std::move(listed));
  return Readable{.file = file.get(), .lease = std::move(file)};
}

Result<TextReader> FileDataset::text_reader(engine::Engine& engine, const engine::RunLimits& limits,
                                            const fs::File& file, Stored& stored) const {
  const inspection::ReadLimits reading{.deadline = limits.deadline, .stop = limits.stop};
  SLUICE_TRY(const bool is_sniffed_whole,
             is_within(file, stored_form().compression, kWholeSniffBytes, reading));
  if (!is_csv()) {
    Result<TextReader> reader = json_reader(
        engine, limits,
        {.path = descriptor_path(file), .options = stored.options, .is_sniffed_whole = is_sniffed_whole},
        collection());
    if (!reader.ok() && form_.format == FileFormat::kNdjson && is_sniffed_whole)
      return with_bad_json_line(std::move(reader).error(), file, form_.compression, reading);
    return reader;
  }
  CsvFile csv{.path = descriptor_path(file),
              .options = stored.options,
              .beginning = std::move(stored.beginning.bytes),
              .is_beginning_whole = stored.beginning.is_whole,
              .is_sniffed_whole = is_sniffed_whole,
              .is_read_whole = is_sniffed_whole || form_.compression == Compression::kNone};
  const bool has_mixed_lines = mixes_line_ends(csv.beginning);
  Result<TextReader> reader = csv_reader(engine, limits, csv, collection());
  if (!reader.ok() && has_mixed_lines) {  // Which the engine takes for a mistake.
    csv.mode = ", strict_mode = false";
    reader = csv_reader(engine, limits, csv, collection());
  }
  return reader;
}

Result<FileCopies::CopyPtr> FileDataset::copy_sheet(const fs::File& listed,
                                                    const engine::RunLimits& limits) const {
  if (!copies_) {
    return unsupported("read workbook: there is no folder for copies")
        .with_code("unsupported_file")
        .with_hint("Save the sheet as CSV.");
  }
  return copies_->get_sheet({.name = name(), .version = identity().version, .file = listed, .charset = {}},
                            form_.format, form_.sheet, {.deadline = limits.deadline, .stop = limits.stop});
}

Result<Table> FileDataset::look_at_sheet(engine::Engine& engine, const engine::RunLimits& limits) const {
  SLUICE_TRY(const fs::File listed, open_listed());
  SLUICE_TRY(const FileCopies::CopyPtr copy, copy_sheet(listed, limits));
  const SheetForm& form = *copy->sheet();
  TextReader text = sheet_reader(form, collection());
  Table table;
  table.reader = ", " + text.arguments;
  table.row_number = "row_number() OVER ()";
  table.notes = std::move(text.notes);
  SLUICE_TRY(const fs::FileStatus status, copy->file().status());
  if (form.rows > 0) table.row_bytes = static_cast<double>(status.bytes) / static_cast<double>(form.rows);
  set_row_count(form.rows);
  const std::string from =
      call_of({reader_function_of(form_.format), descriptor_path(copy->file()), table.reader, ""});
  SLUICE_CHECK(choose_columns(engine, from, text.columns, table));
  return table;
}

Result<Table> FileDataset::look_at(engine::Engine& engine, const engine::RunLimits& limits) const {
  if (is_book(form_.format)) return look_at_sheet(engine, limits);
  if (!is_read_by_engine(form_.format)) {
    return unsupported("read dataset: files of this kind are not read here: " + excerpt(name()))
        .with_code("unsupported_file")
        .with_hint("Convert the file to Parquet.");
  }
  SLUICE_TRY(fs::File listed, open_listed());
  Table table;
  SLUICE_CHECK(find_encoding(listed, table));
  SLUICE_TRY(const Readable readable, readable_of(std::move(listed), table, limits));
  const fs::File& file = *readable.file;
  const FileForm form = stored_form();
  const inspection::ReadLimits reading{.deadline = limits.deadline, .stop = limits.stop};
  SLUICE_CHECK(check_nesting(file, form, reading));
  TextReader text;
  if (form_.format == FileFormat::kParquet) {
    table.reader = ", union_by_name = false";
    table.row_number = kFileRowNumber;
  } else {
    Stored stored;
    SLUICE_TRY(stored.beginning,
               inspection::read_beginning(file, form.compression, kBeginningBytes, reading));
    stored.options = compression_argument(form);
    if (!table.is_copied) stored.options += encoding_argument(table.encoding, is_csv());
    stored.options += array_argument(stored.beginning.bytes, form_);
    if (form.compression == Compression::kNone) {
      SLUICE_TRY(const fs::FileStatus status, file.status());
      if (is_csv()) stored.options += buffer_argument(form_, status);
      table.row_bytes = line_bytes(stored.beginning.bytes, form_.format);
    }
    SLUICE_TRY(text, text_reader(engine, limits, file, stored));
    table.reader = ", " + stored.options + ", " + text.arguments;
    table.row_number = "row_number() OVER ()";
    table.notes = text.notes;
  }
  const std::string from =
      call_of({reader_function_of(form_.format), descriptor_path(file), table.reader, ""});
  SLUICE_CHECK(choose_columns(engine, from, text.columns, table));
  return table;
}

std::optional<int> FileDataset::questions_before_copy() const {
  if (!copies_ || form_.is_read_once || identity().version.empty()) return std::nullopt;
  const CopyRule& rule = form_.format == FileFormat::kParquet ? kParquetRule
                         : is_book(form_.format)              ? kBookRule
                                                              : kTextRule;
  if (identity().bytes < rule.bytes_min) return std::nullopt;
  return rule.questions;
}

// The copy has what was selected of the file, by its visible names.
std::optional<Relation> FileDataset::open_columns() const {
  if (!questions_before_copy()) return std::nullopt;
  FileCopies::CopyPtr copy = copies_->find_columns(identity());
  if (!copy) return std::nullopt;
  Readable readable = readable_copy(std::move(copy));
  FileScan scan{"read_parquet", descriptor_path(*readable.file), ", union_by_name = false", ""};
  Relation relation{.sql = call_of(scan), .scan = std::move(scan), .lease = std::move(readable.lease)};
  relation.row_number = kFileRowNumber;
  return relation;
}

Result<Relation> FileDataset::open(const Table& table, const engine::RunLimits& limits,
                                   const expression::Question* /*question*/) const {
  SLUICE_TRY(fs::File listed, open_listed());
  if (std::optional<Relation> columns = open_columns()) return *std::move(columns);
  SLUICE_TRY(Readable readable, readable_of(std::move(listed), table, limits));
  FileScan scan{reader_function_of(form_.format), descriptor_path(*readable.file), table.reader,
                table.columns_sql};
  std::string from = call_of(scan);
  if (!table.columns_sql.empty()) {
    from = fmt::format("(SELECT {}{} FROM {})", table.columns_sql,
                       form_.format == FileFormat::kParquet ? ", file_row_number" : "", from);
  }
  return Relation{.sql = std::move(from), .scan = std::move(scan), .lease = std::move(readable.lease)};
}

Result<std::string> FileDataset::read_beside(std::string_view suffix) const {
  SLUICE_TRY(const fs::File file, root_->open_beneath(path_beside(suffix)));
  return file.read_all(kBesideBytesMax);
}

std::string FileDataset::path_beside(std::string_view suffix) const {
  const std::optional<FileKind> kind = form_.keeps_ending ? std::nullopt : kind_of_file(identity().path);
  return (kind ? kind->stem : identity().path) + std::string(suffix);
}

}  // namespace sluice::query
