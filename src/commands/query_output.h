#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "progress_line.h"

namespace sluice::commands {

// Standard output. What a terminal is given cannot act on it. One thread.
class StandardOutput {
 public:
  StandardOutput();

  bool is_terminal() const { return is_terminal_; }
  // Fails with kCancelled where nobody reads any more; then `is_closed`.
  Status write(std::string_view text);
  bool is_closed() const { return is_closed_; }

 private:
  const bool is_terminal_;
  bool is_closed_ = false;
};

// A line on standard error for the person who asked.
void print_note(std::string_view text);

// 1234567 rows as "1,234,567 rows".
std::string rows_text(std::uint64_t rows);

// All rows, as they arrive. The progress line makes way if it stands on the same terminal.
Status print_csv(engine::Rows& rows, StandardOutput& out, ProgressLine& progress);
Status print_json(engine::Rows& rows, StandardOutput& out, ProgressLine& progress);

// The first `rows_max` rows as a table, which fits the terminal if there is one; and how many there are in
// all, on standard error.
Status print_table(engine::Rows& rows, std::uint64_t rows_max, StandardOutput& out, ProgressLine& progress);

}  // namespace sluice::commands
