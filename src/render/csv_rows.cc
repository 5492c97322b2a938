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

}  // namespace

CsvRows::CsvRows(const std::vector<engine::Field>& columns, const Budget& budget)
    : meter_(budget, columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_ += ',';
    const std::size_t begin = out_.size();
    out_ += columns[i].name;
    quote_from(out_, begin, false);
  }
  out_ += '\n';
}

std::size_t CsvRows::append(const engine::Batch& batch, std::size_t from) {
  std::size_t row = from;
  for (; row < batch.rows && !meter_.hit(); ++row) {
    const std::size_t before = out_.size();
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      if (i > 0) out_ += ',';
      const std::size_t begin = out_.size();
      append_text(out_, batch.columns[i], row);
      quote_from(out_, begin, batch.columns[i].is_null(row));
    }
    out_ += '\n';
    if (!meter_.spend(before, out_.size() - before)) {
      out_.resize(before);
      break;
    }
  }
  return row - from;
}

}  // namespace sluice::render
