#include <algorithm>
#include <array>
#include <string_view>

#include "sluice/json/writer.h"
#include "sluice/render/cell.h"
#include "sluice/render/rows.h"

namespace sluice::render {

namespace {

// Whether a line that begins with this text looks like a line of the server: "# 5 rows shown", "-- 2".
bool looks_like_a_note(std::string_view text) { return text.starts_with('#') || text.starts_with("--"); }

bool is_break(char c) { return c == '\n' || c == '\r'; }

// Writes \n for each line break in a cell that is followed by what looks like a line of the server. Quotes
// make such a cell clear to a parser, but not to a reader. Returns whether there was one.
bool escape_breaks(std::string& out, std::size_t begin) {
  const std::string_view cell = std::string_view(out).substr(begin);
  std::string escaped;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (!is_break(cell[i])) continue;
    std::size_t end = i + 1;
    if (cell[i] == '\r' && end < cell.size() && cell[end] == '\n') ++end;
    std::size_t text = end;  // Blanks in front do not make it look different.
    while (text < cell.size() && (cell[text] == ' ' || cell[text] == '\t')) ++text;
    if (looks_like_a_note(cell.substr(text))) {
      escaped += cell.substr(copied, i - copied);
      escaped += "\\n";
      copied = end;
    }
    i = end - 1;
  }
  if (copied == 0) return false;
  escaped += cell.substr(copied);
  out.replace(begin, std::string::npos, escaped);
  return true;
}

// Whether RFC 4180 asks for quotes around the cell. A table, because this looks at every byte of every file.
bool needs_quotes(std::string_view cell) {
  static constexpr std::array<bool, 256> kSpecial = [] {
    std::array<bool, 256> out{};
    for (const char c : {',', '"', '\r', '\n'}) out[static_cast<unsigned char>(c)] = true;
    return out;
  }();
  return std::any_of(cell.begin(), cell.end(),
                     [](char c) { return kSpecial[static_cast<unsigned char>(c)]; });
}

// Whether no text of the type needs quotes: numbers, dates and times, durations, UUIDs.
bool is_always_plain(engine::TypeId type) {
  return type >= engine::TypeId::kBool && type <= engine::TypeId::kUuid;
}

// Quotes what was appended from `begin` on.
void quote_from(std::string& out, std::size_t begin) {
  std::string quoted = "\"";
  for (const char c : std::string_view(out).substr(begin)) {
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
    finish_cell(begin, i, false);
  }
  out_ += '\n';
  counted_ = counted_bytes(0);
}

// RFC 4180 asks for quotes around some cells. An empty text has them as well, so that it differs from a null.
void CsvRows::finish_cell(std::size_t begin, std::size_t column, bool is_null) {
  if (is_null) return;
  const std::string_view cell = std::string_view(out_).substr(begin);
  const bool is_plain = !cell.empty() && !needs_quotes(cell);
  const bool is_forged = options_.is_for_reading && column == 0 && looks_like_a_note(cell);
  if (is_plain && !is_forged) return;
  if (options_.is_for_reading && escape_breaks(out_, begin)) has_escaped_breaks_ = true;
  quote_from(out_, begin);
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
    const bool had_escaped_breaks = has_escaped_breaks_;
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      if (i > 0) out_ += ',';
      const std::size_t begin = out_.size();
      const engine::Column& column = batch.columns[i];
      append_text(out_, column, row, options_.digits);
      if (!is_always_plain(column.type->id)) finish_cell(begin, i, column.is_null(row));
    }
    out_ += '\n';
    const std::size_t bytes = counted_bytes(before);
    if (!meter_.spend(counted_, bytes)) {
      out_.resize(before);
      has_escaped_breaks_ = had_escaped_breaks;
      break;
    }
    counted_ += bytes;
  }
  return row - from;
}

}  // namespace sluice::render
