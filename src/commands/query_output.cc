#include "query_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/render/rows.h"
#include "sluice/render/text_table.h"
#include "sluice/text/display.h"

#include "terminal.h"

namespace sluice::commands {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{256} << 10U;  // Collected before they are written.
constexpr Budget kNoBounds{
    .rows = UINT64_MAX, .cells = UINT64_MAX, .bytes = UINT64_MAX, .tokens = UINT64_MAX};

template <typename Writer>
Status print_all(engine::Rows& rows, Writer writer, StandardOutput& out, ProgressLine& progress) {
  const std::size_t enough = out.is_terminal() ? 1 : kWriteBytes;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows.next());
    if (batch == nullptr) break;
    writer.append(*batch);
    if (out.is_terminal()) progress.pause();
    if (writer.pending_bytes() >= enough) SLUICE_CHECK(out.write(writer.drain()));
  }
  progress.pause();
  return out.write(std::move(writer).take());
}

Status print(const render::TextTable& table, StandardOutput& out, ProgressLine& progress) {
  const render::TextTable::Layout layout = table.lay_out();
  progress.pause();
  std::string text = table.header(layout);
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    text += table.row(layout, row);
    if (text.size() >= kWriteBytes) SLUICE_CHECK(out.write(std::exchange(text, {})));
  }
  SLUICE_CHECK(out.write(text));
  if (layout.has_more_columns) {
    print_note(fmt::format("{} of {} columns shown; select fewer, or use --csv.", layout.widths.size(),
                           table.columns()));
  }
  progress.resume();
  return {};
}

}  // namespace

std::string rows_text(std::uint64_t rows) { return text::grouped(rows) + (rows == 1 ? " row" : " rows"); }

void print_note(std::string_view text) {
  std::fprintf(stderr, "%s\n", text::make_visible(text, text::LineBreaks::kKeep).c_str());
}

StandardOutput::StandardOutput() : is_terminal_(commands::is_terminal(STDOUT_FILENO)) {}

Status StandardOutput::write(std::string_view text) {
  std::string visible;
  if (is_terminal_) {
    visible = text::make_visible(text, text::LineBreaks::kKeep);
    text = visible;
  }
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) {
      is_closed_ = true;
      return cancelled();
    }
    if (written < 0) {
      return unavailable(fmt::format("write the answer: {}", std::generic_category().message(errno)))
          .with_code("output_failed");
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status print_csv(engine::Rows& rows, StandardOutput& out, ProgressLine& progress) {
  return print_all(rows, render::CsvRows(rows.columns(), {.budget = kNoBounds}), out, progress);
}

Status print_json(engine::Rows& rows, StandardOutput& out, ProgressLine& progress) {
  SLUICE_CHECK(print_all(rows, render::JsonRows(rows.columns(), {.budget = kNoBounds}), out, progress));
  return out.write("\n");
}

Status print_table(engine::Rows& rows, std::uint64_t rows_max, StandardOutput& out, ProgressLine& progress) {
  const std::size_t width = out.is_terminal() ? terminal_width(STDOUT_FILENO) : 0;
  render::TextTable table(rows.columns(), {.rows_max = rows_max, .width_max = width});
  std::uint64_t count = 0;
  bool is_printed = false;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows.next());
    if (batch == nullptr) break;
    count += batch->rows;
    if (is_printed || table.append(*batch) == batch->rows) continue;
    SLUICE_CHECK(print(table, out, progress));  // The others are only counted.
    is_printed = true;
  }
  if (!is_printed) SLUICE_CHECK(print(table, out, progress));
  progress.pause();
  print_note(table.rows() < count ? fmt::format("({} of {}; --rows N shows more, --csv prints all)",
                                                text::grouped(table.rows()), rows_text(count))
                                  : fmt::format("({})", rows_text(count)));
  return {};
}

}  // namespace sluice::commands
