#include "files.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/scan.h"
#include "sluice/inspection/parquet_footer.h"

#include "footer.h"

namespace sluice::records_provider {

namespace {

constexpr std::string_view kEnding = ".parquet";

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Error no_such_file(std::string_view path) {
  return not_found("Parquet file not found: " + excerpt(path))
      .with_code("file_not_found")
      .with_hint("resources/list names the files; a path is relative to the store's folder.");
}

// Folders that a store keeps for itself: a hundred snapshots of each data type would bury what is listed.
bool is_internal(std::string_view path) {
  return path == "snapshots" || path == "logs" || path == "embeddings";
}

bool is_hidden(std::string_view name) { return name.starts_with('_') || name.starts_with('.'); }

}  // namespace

Result<std::vector<std::string>> list_files(const records::Store& store, Files files) {
  fs::ScanOptions options;
  options.skips = [files](std::string_view path) {
    return is_hidden(last_name(path)) || (files == Files::kListed && is_internal(path));
  };
  SLUICE_TRY(const fs::Scan scan, fs::scan(store.root(), "", options));
  std::vector<std::string> out;
  for (const fs::ScannedEntry& found : scan.entries) {
    if (found.entry.kind == fs::EntryKind::kFile && found.path.ends_with(kEnding)) out.push_back(found.path);
  }
  return out;
}

Result<std::string> decode_path(std::string_view encoded) {
  std::string out;
  std::string_view rest = encoded;
  while (true) {
    const std::size_t slash = rest.find('/');
    SLUICE_TRY(const std::string name, percent_decode(rest.substr(0, slash)));
    const bool is_name = !name.empty() && !is_hidden(name) && name.size() <= kFileNameBytesMax &&
                         is_valid_utf8(name) && name.find('/') == std::string::npos &&
                         name.find('\0') == std::string::npos;
    if (!is_name) return no_such_file(encoded);
    out += name;
    if (slash == std::string_view::npos) break;
    out += '/';
    rest.remove_prefix(slash + 1);
  }
  if (!out.ends_with(kEnding) || out.size() > kPathBytesMax) return no_such_file(encoded);
  return out;
}

Result<records::View> open_file(const records::Store& store, const std::string& path,
                                const engine::RunLimits& limits) {
  Result<fs::File> opened = store.root().open_beneath(path);
  if (!opened.ok()) return opened.error().kind == ErrorKind::kNotFound ? no_such_file(path) : opened.error();
  const auto file =
      std::make_shared<const fs::File>(std::move(opened).value());  // The view's, and this function's.
  SLUICE_CHECK(inspection::read_parquet_footer(*file));
  records::View out;
  out.data_type = path;
  out.engine = store.engine();
  out.is_ordered = true;
  out.relation = fmt::format("read_parquet({})", engine::quote_text(descriptor_path(*file)));
  Result<engine::Description> description = out.engine->describe({.sql = "SELECT * FROM " + out.relation});
  if (!description.ok()) {  // Its text would show the path by which the engine opens the file.
    return invalid_input("read Parquet file: it is broken or no Parquet file: " + excerpt(path))
        .with_code("unreadable_file")
        .with_hint("Put a good copy of the file there.");
  }
  out.columns = std::move(description->columns);
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             out.engine->query({.sql = "SELECT count(*) FROM " + out.relation}, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  if (batch != nullptr) out.rows = static_cast<std::uint64_t>(batch->columns.front().at<std::int64_t>(0));
  out.pin = file;
  return out;
}

}  // namespace sluice::records_provider
