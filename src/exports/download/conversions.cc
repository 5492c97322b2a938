#include "download/conversions.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "sluice/base/log.h"
#include "sluice/fs/file_writer.h"
#include "sluice/fs/private_folder.h"
#include "sluice/query/result_file.h"

#include "http/row_pieces.h"

namespace sluice::exports {

namespace {

constexpr std::chrono::minutes kConversionTime{10};

}  // namespace

std::string spool_ending(FileFormat format) { return "." + std::string(name_of(format)); }

Conversion::Conversion(Request request) : request_(std::move(request)) {
  thread_ = BackgroundThread("convert-result", [this](const std::stop_token& stop) { run(stop); });
}

void Conversion::run(const std::stop_token& stop) {
  const engine::RunLimits limits{.deadline = system_clock().now() + kConversionTime, .stop = stop};
  const auto make = [&]() -> Result<query::FilePtr> {
    SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, request_.source->engines->get());
    query::Spool& spool = *request_.source->spool;
    if (request_.format == FileFormat::kParquet)
      return query::result_file(*engine, spool, *request_.snapshot, query::Format::kParquet, limits);
    return spool.make_file(
        *request_.snapshot, spool_ending(request_.format), limits,
        [&](const fs::PrivateFolder& folder, const std::string& name, const engine::RunLimits& bounded) {
          return write(folder, name, *engine, bounded);
        });
  };
  Result<query::FilePtr> made = internal_error("the file could not be made");
  try {
    made = make();
  } catch (const std::exception& failure) {
    log::error("download_conversion_failed", {{"what", failure.what()}});
  }
  {
    const MutexLock lock(mutex_);
    made_ = std::move(made);
  }
  changed_.notify_all();
}

Status Conversion::write(const fs::PrivateFolder& folder, const std::string& name, engine::Engine& engine,
                         const engine::RunLimits& limits) {
  SLUICE_TRY(fs::FileWriter file, folder.create(name));
  SLUICE_TRY(fs::File opened, folder.root().open_beneath(name));
  {
    const MutexLock lock(mutex_);
    growing_ = std::make_shared<const fs::File>(std::move(opened));
  }
  const query::Snapshot& snapshot = *request_.snapshot;
  SLUICE_TRY(std::unique_ptr<engine::Rows> rows,
             engine.query(query::Spool::page(snapshot, 0, snapshot.rows), limits));
  RowPieces pieces(std::move(rows), {.format = request_.format, .bytes_max = request_.bytes_max});
  while (true) {
    SLUICE_TRY(const std::string piece, pieces.next());
    if (piece.empty()) return {};
    SLUICE_CHECK(file.write(piece));
    {
      const MutexLock lock(mutex_);
      bytes_ = file.bytes();
    }
    changed_.notify_all();
  }
}

Result<query::FilePtr> Conversion::wait(std::chrono::milliseconds wait, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  changed_.wait_for(mutex_, stop, wait, [this]() SLUICE_REQUIRES(mutex_) { return made_.has_value(); });
  if (made_) return *made_;
  if (stop.stop_requested()) return cancelled();
  return query::FilePtr();
}

Result<std::string> Conversion::read(std::uint64_t offset, std::size_t most, const std::stop_token& stop) {
  query::FilePtr file;
  std::uint64_t bytes = 0;
  {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, stop,
                  [this, offset]() SLUICE_REQUIRES(mutex_) { return made_.has_value() || bytes_ > offset; });
    if (made_ && !made_->ok()) return made_->error();
    file = made_ ? **made_ : growing_;
    bytes = made_ ? file->bytes_when_opened() : bytes_;
  }
  if (stop.stop_requested()) return cancelled();
  if (offset >= bytes) return std::string();
  return file->read_at(offset, static_cast<std::size_t>(std::min<std::uint64_t>(most, bytes - offset)));
}

std::shared_ptr<Conversion> Conversions::begin(Conversion::Request request) {
  const MutexLock lock(mutex_);
  std::erase_if(conversions_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Conversion>& known = conversions_[Key(request.snapshot->id, request.format)];
  if (std::shared_ptr<Conversion> running = known.lock()) return running;
  auto begun = std::make_shared<Conversion>(std::move(request));
  known = begun;
  return begun;
}

}  // namespace sluice::exports
