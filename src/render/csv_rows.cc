#include <array>
#include <charconv>
#include <cmath>

#include "sluice/json/writer.h"
#include "sluice/render/cell.h"
#include "sluice/render/rows.h"

namespace sluice::render {

namespace {

// Quotes what was appended from `begin` on, where RFC 4180 asks for it. An empty text is quoted, so that it
// differs from a null.
void quote_from(std::string& out, std::size_t begin, bool is_null) {
  const std::string_view cell = std::string_view(out).substr(begin);
  if (is_null || (!cell.empty() && cell.find_first_of(",\"\r\n") == std::string_view::npos)) return;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  out.replace(begin, std::string::npos, quoted);
}

// A floating-point number with at most 15 significant digits. False: the cell is none, or not finite.
bool append_brief(std::string& out, const engine::Column& column, std::size_t row) {
  double value = 0;
  int digits = 15;
  if (column.type->id == engine::TypeId::kDouble) {
    value = column.at<double>(row);
  } else if (column.type->id == engine::TypeId::kFloat) {
    value = static_cast<double>(column.at<float>(row));
    digits = 7;
  } else {
    return false;
  }
  if (!std::isfinite(value)) return false;
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  out.append(text.data(), end.ptr);
  return true;
}

}  // namespace

CsvRows::CsvRows(const std::vector<engine::Field>& columns, const CsvOptions& options)
    : options_(options), meter_(options.budget, columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_ += ',';
    const std::size_t begin = out_.size();
    out_ += columns[i].name;
    quote_from(out_, begin, false);
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
      const bool is_done = options_.is_brief && !column.is_null(row) && append_brief(out_, column, row);
      if (!is_done) append_text(out_, column, row);
      quote_from(out_, begin, batch.columns[i].is_null(row));
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
