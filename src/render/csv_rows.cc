#include <cstdint>

#include "sluice/json/writer.h"
#include "sluice/render/cell.h"
#include "sluice/render/rows.h"

namespace sluice::render {

namespace {

// Whether a line that begins with this cell looks like a line of the server: "# 5 rows shown", "-- 2".
bool looks_like_a_note(std::string_view cell) { return cell.starts_with('#') || cell.starts_with("--"); }

enum class LineStart : std::uint8_t { kAnyText, kNoNote };

// Quotes what was appended from `begin` on, where RFC 4180 asks for it. An empty text is quoted, so that it
// differs from a null.
void quote_from(std::string& out, std::size_t begin, bool is_null, LineStart start = LineStart::kAnyText) {
  const std::string_view cell = std::string_view(out).substr(begin);
  const bool is_forged = start == LineStart::kNoNote && looks_like_a_note(cell);
  const bool is_plain = !cell.empty() && cell.find_first_of(",\"\r\n") == std::string_view::npos;
  if (is_null || (is_plain && !is_forged)) return;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  out.replace(begin, std::string::npos, quoted);
}

}  // namespace

CsvRows::CsvRows(const std::vector<engine::Field>& columns, const CsvOptions& options)
    : options_(options), meter_(options.budget, columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_ += ',';
    const std::size_t begin = out_.size();
    out_ += columns[i].name;
    quote_from(out_, begin, false, options_.is_brief && i == 0 ? LineStart::kNoNote : LineStart::kAnyText);
  }
  out_ += '\n';
  counted_ = counted_bytes(0);
}

std::size_t CsvRows::counted_bytes(std::size_t from) const {
  const std::string_view text = std::string_view(out_).substr(from);
  if (!options_.is_in_json) return text.size();
  std::string escaped;
  json::append_string(escaped, text);
  return escaped.size() - 2;  // Without its quotes.
}

std::size_t CsvRows::append(const engine::Batch& batch, std::size_t from) {
  std::size_t row = from;
  for (; row < batch.rows && !meter_.hit(); ++row) {
    const std::size_t before = out_.size();
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      if (i > 0) out_ += ',';
      const std::size_t begin = out_.size();
      const engine::Column& column = batch.columns[i];
      options_.is_brief ? append_brief(out_, column, row) : append_text(out_, column, row);
      quote_from(out_, begin, column.is_null(row),
                 options_.is_brief && i == 0 ? LineStart::kNoNote : LineStart::kAnyText);
    }
    out_ += '\n';
    const std::size_t bytes = counted_bytes(before);
    if (!meter_.spend(counted_, bytes)) {
      out_.resize(before);
      break;
    }
    counted_ += bytes;
  }
  return row - from;
}

}  // namespace sluice::render
