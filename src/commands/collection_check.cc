#include "collection_check.h"

#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/collections/collection_source.h"
#include "sluice/engine/duckdb.h"
#include "sluice/fs/root.h"
#include "sluice/query/duck_files.h"
#include "sluice/query/row_counter.h"

#include "cards.h"

namespace sluice::commands {
namespace {

constexpr std::size_t kFindingsMax = 50;  // Of one collection; the rest is counted.

// One collection, with an engine that may read its folder and nothing else.
class CollectionCheck {
 public:
  CollectionCheck(const config::Config& config, const CheckRequest& request,
                  const collections::CollectionSpec& spec)
      : config_(config), request_(request), spec_(spec), subject_("collection " + spec.name) {}

  std::vector<wiring::CheckLine> run() && {
    Result<fs::PrivateFolder> text = fs::PrivateFolder::make_temporary("sluice-check");
    if (!text.ok()) {
      fail(text.error().message);
      return std::move(lines_);
    }
    const std::string copies_folder = text->path();
    engine::EngineOptions options{.folders = {},
                                  .scratch_folder = {},
                                  .memory_bytes_max = config_.engine.memory_bytes_max,
                                  .threads = config_.engine.threads};
    const auto sources = std::make_shared<engine::Sources>();  // Shared by the engine and the files it reads.
    options.sources = sources;
    Result<std::unique_ptr<collections::CollectionSource>> source = collections::CollectionSource::start(
        spec_, registry_,
        std::make_shared<query::FileCopies>(*std::move(text), config_.spool.bytes_max, system_clock()),
        std::make_shared<query::DuckFiles>(options, sources));
    if (!source.ok()) {
      fail(source.error().message);
      return std::move(lines_);
    }
    options.folders = {(*source)->folder(), copies_folder};
    const Result<std::unique_ptr<engine::Engine>> engine = engine::open_duckdb(options);
    if (!engine.ok()) {
      fail(engine.error().message);
      return std::move(lines_);
    }
    const Result<fs::Root> root = fs::Root::open((*source)->folder());
    const query::Inventory inventory = registry_.inventory();
    for (const query::DatasetPtr& dataset : inventory.datasets()) {
      const Status status = check_dataset(**engine, *dataset, root);
      if (!status.ok())
        fail(fmt::format("{}: {}", encode_controls(dataset->identity().path), status.error().message));
    }
    summarize();
    return std::move(lines_);
  }

 private:
  Status check_dataset(engine::Engine& engine, const query::Dataset& dataset, const Result<fs::Root>& root) {
    const engine::RunLimits limits{.deadline = system_clock().now() + kRowCountTimeout};
    SLUICE_TRY(const std::uint64_t rows, query::count_rows(engine, tables_, dataset, limits));
    ++readable_;
    rows_ += rows;
    if (!request_.cards) return {};
    SLUICE_TRY(const std::shared_ptr<const query::Table> table, tables_.get(engine, dataset, limits));
    const json::Object card = make_card(dataset, *table, rows);
    if (!request_.write_cards) return check_card(dataset, card);
    if (!root.ok()) return root.error();
    return write_card(dataset, card, *root);
  }

  void fail(std::string finding) {
    ++failures_;
    if (failures_ <= kFindingsMax)
      lines_.push_back({.ok = false, .subject = subject_, .finding = std::move(finding)});
  }

  void summarize() {
    if (failures_ > kFindingsMax) {
      lines_.push_back({.ok = false,
                        .subject = subject_,
                        .finding = fmt::format("and {} more", failures_ - kFindingsMax)});
    }
    const std::size_t datasets = registry_.inventory().size();
    if (datasets == 0) {
      const std::string what =
          spec_.pattern.empty() ? "no file that can be read as a table" : "no file fits " + spec_.pattern;
      lines_.push_back(
          {.ok = false, .subject = subject_, .finding = fmt::format("{} in {}", what, spec_.folder)});
      return;
    }
    lines_.insert(lines_.begin(), {.ok = true,
                                   .subject = subject_,
                                   .finding = fmt::format("{} datasets, {} of them readable, {} rows, in {}",
                                                          datasets, readable_, rows_, spec_.folder)});
  }

  const config::Config& config_;
  const CheckRequest& request_;
  const collections::CollectionSpec& spec_;
  const std::string subject_;
  query::Registry registry_;
  query::Tables tables_{system_clock()};
  std::vector<wiring::CheckLine> lines_;
  std::size_t failures_ = 0;
  std::size_t readable_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

std::vector<wiring::CheckLine> check_collections(const config::Config& config, const CheckRequest& request) {
  std::vector<wiring::CheckLine> lines;
  for (const collections::CollectionSpec& spec : config.collections) {
    for (wiring::CheckLine& line : CollectionCheck(config, request, spec).run())
      lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sluice::commands
