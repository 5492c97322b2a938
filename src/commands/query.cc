#include "sluice/commands/query.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/catalog/background_context.h"
#include "sluice/config/config_file.h"
#include "sluice/datasets/statement_runner.h"
#include "sluice/fs/open_files.h"
#include "sluice/fs/output_file.h"
#include "sluice/fs/private_folder.h"
#include "sluice/text/display.h"
#include "sluice/wiring/process_state.h"
#include "sluice/wiring/wire_data.h"

#include "cancel_signals.h"
#include "progress_line.h"
#include "query_output.h"
#include "terminal.h"

namespace sluice::commands {

namespace {

constexpr std::chrono::milliseconds kReadyPoll{20};  // How soon a signal is noticed while folders are read.
constexpr int kPipeClosedStatus = 128 + SIGPIPE;     // As of a process that SIGPIPE has ended.

using datasets::StatementRunner;

// What a file that exists already needs.
Error with_option(Error error) {
  if (error.kind == ErrorKind::kConflict) error.hint = "--force replaces it.";
  return error;
}

class Query {
 public:
  Query(const QueryRequest& request, CancelSignals& signals)
      : request_(request),
        signals_(signals),
        context_(signals.stop(), system_clock().now() + std::min(request.time_max, kQueryTimeMax)),
        progress_(is_terminal(STDERR_FILENO) ? ProgressLine::Shown::kWhenSlow : ProgressLine::Shown::kNever) {
  }

  Status run(config::Config config) {
    std::optional<fs::OutputFile> file;
    if (request_.output == QueryOutput::kParquet) {
      SLUICE_TRY(fs::OutputFile created, create_file());
      signals_.remove_at_exit(created.temporary_path());
      file.emplace(std::move(created));
    }
    if (!config::has_datasets(config)) {
      return not_found(fmt::format("{} has no tables", excerpt(request_.target)))
          .with_code("dataset_not_found")
          .with_hint(
              "Name a folder or a file of data, or configure `collections`, `databases` or `records`.");
    }
    SLUICE_TRY(const fs::PrivateFolder spool, make_spool(config.spool));
    signals_.remove_at_exit(spool.path());
    config.spool.path = spool.path();
    wiring::ProcessState process_state(config);
    std::shared_ptr<records::Store> records;  // Shared with `process_state`.
    if (config.records) {
      config.records->writable = false;  // A query changes nothing.
      SLUICE_TRY(records, process_state.records(config));
    }
    SLUICE_TRY(
        const std::unique_ptr<wiring::DataWiring> data,
        wiring::DataWiring::open(config, process_state, std::move(records), wiring::DataUse::kOneStatement));
    SLUICE_CHECK(wait_until_ready(*data));
    const std::unique_ptr<StatementRunner> statements = data->make_statement_runner(config);
    return file ? write_file(*statements, *file) : print_rows(*statements);
  }

  bool is_output_closed() const { return out_.is_closed(); }

 private:
  // A folder of its own in any case: everything in it is removed at the end.
  static Result<fs::PrivateFolder> make_spool(const config::SpoolConfig& config) {
    if (config.path.empty()) return fs::PrivateFolder::make_temporary("sluice-query");
    SLUICE_TRY(const fs::PrivateFolder parent, fs::PrivateFolder::open(config.path));
    return fs::PrivateFolder::make_temporary_in(parent.path(), "query");
  }

  Result<fs::OutputFile> create_file() const {
    const fs::IfExists if_exists = request_.overwrites ? fs::IfExists::kReplace : fs::IfExists::kRefuse;
    Result<fs::OutputFile> created = fs::OutputFile::create(request_.file, if_exists);
    if (!created.ok()) return with_option(created.error());
    return created;
  }

  Status wait_until_ready(const wiring::DataWiring& data) const {
    while (data.ready().wait_for(kReadyPoll) != std::future_status::ready) {
      if (context_.stop().stop_requested()) return cancelled();
      if (system_clock().now() >= context_.deadline()) return deadline_exceeded().with_code("time_limit");
    }
    return {};
  }

  Status print_rows(const StatementRunner& statements) {
    if (request_.output == QueryOutput::kExplanation) {
      SLUICE_TRY(const std::string lines, statements.explain(request_.sql, context_));
      return out_.write(text::make_visible(lines, text::LineBreaks::kKeep));
    }
    SLUICE_TRY(const StatementRunner::Opened opened,
               statements.open(request_.sql, context_, {.progress = progress_.percentage()}));
    print_warnings(opened.warnings);
    switch (request_.output) {
      case QueryOutput::kCsv:
        return print_csv(*opened.rows, out_, progress_);
      case QueryOutput::kJson:
        return print_json(*opened.rows, out_, progress_);
      case QueryOutput::kTable:
      case QueryOutput::kParquet:
      case QueryOutput::kExplanation:
        break;
    }
    return print_table(*opened.rows, std::min(request_.rows_max, kTableRowsMax), out_, progress_);
  }

  Status write_file(const StatementRunner& statements, fs::OutputFile& file) {
    SLUICE_TRY(const StatementRunner::Written written,
               statements.write_parquet(request_.sql, context_, {.progress = progress_.percentage()}));
    SLUICE_CHECK(file.copy(*written.file, context_.stop()));
    if (const Status moved = file.commit(); !moved.ok()) return with_option(moved.error());
    print_warnings(written.warnings);
    progress_.pause();
    print_note(fmt::format("({} written to {})", rows_text(written.rows), request_.file));
    return {};
  }

  void print_warnings(const std::vector<std::string>& warnings) {
    if (warnings.empty()) return;
    progress_.pause();
    for (const std::string& warning : warnings) print_note("note: " + warning);
    progress_.resume();
  }

  const QueryRequest& request_;
  CancelSignals& signals_;
  catalog::BackgroundContext context_;
  StandardOutput out_;
  ProgressLine progress_;
};

}  // namespace

Result<int> query(const QueryRequest& request, const config::Environment& environment) {
  fs::raise_open_files_max();
  SLUICE_TRY(config::Config config, config::load_config({request.target}, environment));
  CancelSignals signals;
  Query query(request, signals);
  Status done = query.run(std::move(config));
  if (done.ok()) return 0;
  if (signals.exit_status() != 0) return signals.exit_status();
  if (query.is_output_closed()) return kPipeClosedStatus;
  Error error = done.error();
  error.message = text::make_visible(error.message, text::LineBreaks::kKeep);
  error.hint = text::make_visible(error.hint, text::LineBreaks::kKeep);
  return error;
}

}  // namespace sluice::commands
