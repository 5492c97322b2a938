#include "files/file_store.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/random.h"
#include "sluice/fetch/download.h"
#include "sluice/fetch/retry.h"

#include "portal/failure.h"

namespace sluice::ckan {

namespace {

constexpr std::chrono::seconds kFresh{60};
constexpr std::chrono::hours kKept{24};
constexpr std::chrono::hours kPartialKept{1};
constexpr std::uint64_t kPartialBytesMin = 64 * 1024;
constexpr std::size_t kBeginningBytes = std::size_t{2} << 20U;
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kProgressBytes = std::uint64_t{1} << 20U;
constexpr std::size_t kHeaderBytesMax = 1'024;
constexpr fetch::RetryRules kDownloadRetries{.attempts_max = 5,
                                             .first_delay = std::chrono::milliseconds(250),
                                             .delay_max = std::chrono::milliseconds(2'000),
                                             .retry_after_max = std::chrono::milliseconds(10'000)};

std::string header(const fetch::Headers& headers, std::string_view name) {
  const std::string* value = fetch::find_header(headers, name);
  const bool is_text = value != nullptr && value->size() <= kHeaderBytesMax &&
                       std::none_of(value->begin(), value->end(), [](char c) {
                         return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
                       });
  return is_text ? *value : std::string();
}

std::optional<double> length_of(const fetch::Headers& headers) {
  const std::string text = header(headers, "content-length");
  std::uint64_t bytes = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || text.empty())
    return std::nullopt;
  return static_cast<double>(bytes);
}

// What proves that a later answer is of the same bytes. A weak tag proves less.
std::string validator_of(const fetch::Headers& headers) {
  const std::string tag = header(headers, "etag");
  return tag.starts_with('"') ? tag : header(headers, "last-modified");
}

// Passes everything on, and remembers how much is to come. Where a part is already there, only the rest is
// asked for, and what reads the answer gets both as one.
class WatchedClient final : public fetch::Client {
 public:
  WatchedClient(fetch::Client& client, PartialPtr partial) : client_(client), partial_(std::move(partial)) {}

  Status stream(const fetch::Request& request, fetch::Sink& sink) override {
    const PartialPtr partial = std::exchange(partial_, nullptr);  // Once; a retry begins anew.
    if (!partial) return pass(request, sink, nullptr);
    fetch::Request rest = request;
    rest.headers.emplace_back("Range", fmt::format("bytes={}-", partial->bytes));
    rest.headers.emplace_back("If-Range", partial->validator);
    return pass(rest, sink, partial.get());
  }
  const std::optional<double>& total() const { return total_; }
  const std::string& validator() const { return validator_; }

 private:
  class Watching final : public fetch::Sink {
   public:
    Watching(fetch::Sink& inner, WatchedClient& client, const PartialDownload* partial)
        : inner_(inner), client_(client), partial_(partial) {}

    Status begin(const fetch::Head& head) override {
      const bool is_rest =
          partial_ != nullptr && head.status == 206 &&
          header(head.headers, "content-range").starts_with(fmt::format("bytes {}-", partial_->bytes));
      if (head.status == 200 || is_rest) {
        client_.total_ = length_of(head.headers);
        client_.validator_ = validator_of(head.headers);
      }
      if (!is_rest) return inner_.begin(head);
      if (client_.total_) *client_.total_ += static_cast<double>(partial_->bytes);
      fetch::Head whole = head;
      whole.status = 200;
      SLUICE_CHECK(inner_.begin(whole));
      return feed();
    }
    Result<fetch::Flow> write(std::string_view piece) override { return inner_.write(piece); }

   private:
    Status feed() {
      SLUICE_TRY(const fs::File file, partial_->file->open());
      for (std::uint64_t at = 0; at < partial_->bytes;) {
        SLUICE_TRY(const std::string piece, file.read_at(at, kProgressBytes));
        if (piece.empty()) return internal_error("read on in a download: its file is shorter than it was");
        at += piece.size();
        SLUICE_TRY([[maybe_unused]] const fetch::Flow flow, inner_.write(piece));
      }
      return {};
    }

    fetch::Sink& inner_;
    WatchedClient& client_;
    const PartialDownload* partial_;
  };

  Status pass(const fetch::Request& request, fetch::Sink& sink, const PartialDownload* partial) {
    Watching watching(sink, *this, partial);
    return client_.stream(request, watching);
  }

  fetch::Client& client_;
  PartialPtr partial_;
  std::optional<double> total_;
  std::string validator_;
};

// A new file for each beginning: what was there is no part of it.
class SpoolTarget final : public fetch::DownloadTarget {
 public:
  SpoolTarget(const std::shared_ptr<const fs::PrivateFolder>& folder, const WatchedClient& client,
              catalog::Context& context, const FileStore::OnBeginning& on_beginning)
      : folder_(folder), client_(client), context_(context), on_beginning_(on_beginning) {}

  Status append(std::string_view piece) override {
    if (!writer_) SLUICE_CHECK(restart());
    SLUICE_CHECK(writer_->write(piece));
    if (on_beginning_ && !has_begun_ && writer_->bytes() >= kBeginningBytes) SLUICE_CHECK(tell_beginning());
    if (writer_->bytes() >= told_ + kProgressBytes) {
      told_ = writer_->bytes();
      context_.progress(
          {.done = static_cast<double>(told_), .total = client_.total(), .message = "bytes downloaded"});
    }
    return {};
  }
  Status restart() override {
    writer_.reset();
    const std::string name = crypto::random_token();
    SLUICE_TRY(fs::FileWriter writer, folder_->create(name));
    file_ = std::make_shared<const OwnFile>(folder_, name);
    writer_.emplace(std::move(writer));
    return {};
  }
  std::uint64_t bytes() const { return writer_ ? writer_->bytes() : 0; }
  // The file, also where nothing came.
  Result<std::shared_ptr<const OwnFile>> take() {
    if (!writer_) SLUICE_CHECK(restart());
    writer_.reset();
    return std::move(file_);
  }

 private:
  // Only where much is still to come: what is small is looked at as a whole.
  Status tell_beginning() {
    has_begun_ = true;
    if (client_.total().value_or(0) < static_cast<double>(kLargeBytes)) return {};
    SLUICE_TRY(const fs::File file, file_->open());
    SLUICE_TRY(std::string bytes, file.read_at(0, kBeginningBytes));
    const std::size_t end = bytes.rfind('\n');
    if (end == std::string::npos) return {};
    bytes.resize(end + 1);
    const std::string name = crypto::random_token();
    SLUICE_TRY(fs::FileWriter writer, folder_->create(name));
    const auto beginning = std::make_shared<const OwnFile>(folder_, name);
    SLUICE_CHECK(writer.write(bytes));
    on_beginning_(beginning, file_->name());
    return {};
  }

  const std::shared_ptr<const fs::PrivateFolder>& folder_;
  const WatchedClient& client_;
  catalog::Context& context_;
  const FileStore::OnBeginning& on_beginning_;
  bool has_begun_ = false;
  std::shared_ptr<const OwnFile> file_;
  std::optional<fs::FileWriter> writer_;
  std::uint64_t told_ = 0;
};

Error file_refused(const fetch::Url& url, int status) {
  const std::string message = fmt::format("The file's server {} answered {}", url.origin(), status);
  if (status == 404 || status == 410)
    return not_found(message)
        .with_code("ckan_file_gone")
        .with_hint("The portal lists a file that is not there any more.");
  return unavailable(message)
      .with_code("ckan_file_failed")
      .with_hint("Try again later, or another resource of the dataset.");
}

}  // namespace

FileStore::FileStore(PortalApi& api, const Options& options, std::shared_ptr<const fs::PrivateFolder> folder)
    : api_(api),
      folder_(std::move(folder)),
      fresh_(api.clock(), {.entries_max = kCacheEntriesMax, .bytes_max = options.bytes_max}),
      kept_(api.clock(), {.entries_max = kCacheEntriesMax, .bytes_max = options.bytes_max}),
      partial_(api.clock(), {.entries_max = kCacheEntriesMax, .bytes_max = options.bytes_max}) {}

Result<std::unique_ptr<FileStore>> FileStore::create(PortalApi& api, const Options& options) {
  SLUICE_TRY(fs::PrivateFolder folder, fs::PrivateFolder::make_temporary_in(options.folder, "portals"));
  return std::unique_ptr<FileStore>(
      new FileStore(api, options, std::make_shared<const fs::PrivateFolder>(std::move(folder))));
}

Result<DownloadPtr> FileStore::get(const fetch::Url& url, catalog::Context& context,
                                   const OnBeginning& on_beginning) {
  const cache::Key key{.scope = cache::Scope::shared(), .text = url.text()};
  const auto load = [&](std::stop_token stop) -> Result<cache::Loaded<DownloadPtr>> {
    const cache::Cache<DownloadPtr>::Handle old = kept_.find(key);
    SLUICE_TRY(DownloadPtr made,
               download(url, old ? old->get() : nullptr, std::move(stop), context, on_beginning));
    if (!made) made = *old;
    const auto bytes = static_cast<std::size_t>(made->bytes);
    kept_.put(key, {.value = made, .bytes = bytes, .lifetime = kKept});
    return cache::Loaded<DownloadPtr>{.value = made, .bytes = bytes, .lifetime = kFresh};
  };
  SLUICE_TRY(const cache::Cache<DownloadPtr>::Handle handle, fresh_.get_or_load(key, load, context.stop()));
  return *handle;
}

// What is too large, or refused, is not gone on with.
void FileStore::keep_partial(const cache::Key& key, const std::string& validator, std::uint64_t bytes,
                             const Error& why,
                             const std::function<Result<std::shared_ptr<const OwnFile>>()>& take) {
  const bool was_interrupted = why.kind == ErrorKind::kCancelled || why.kind == ErrorKind::kDeadline ||
                               why.kind == ErrorKind::kUnavailable;
  if (!was_interrupted || validator.empty() || bytes < kPartialBytesMin) return;
  Result<std::shared_ptr<const OwnFile>> file = take();
  if (!file.ok()) return;
  auto partial = std::make_shared<const PartialDownload>(
      PartialDownload{.file = *std::move(file), .bytes = bytes, .validator = validator});
  partial_.put(
      key, {.value = std::move(partial), .bytes = static_cast<std::size_t>(bytes), .lifetime = kPartialKept});
}

Result<DownloadPtr> FileStore::download(const fetch::Url& url, const Download* old, std::stop_token stop,
                                        catalog::Context& context, const OnBeginning& on_beginning) {
  Portal place;  // Whoever has the file, for the words of errors.
  place.base = url;
  fetch::Request request;
  request.url = url;
  request.credentials = api_.credentials_for(url);
  request.limits.bytes_max = api_.spec().file_bytes_max;
  request.limits.total = api_.spec().file_timeout;
  request.deadline = context.deadline();
  request.stop = std::move(stop);
  if (old != nullptr && !old->etag.empty()) request.headers.emplace_back("If-None-Match", old->etag);
  if (old != nullptr && !old->last_modified.empty())
    request.headers.emplace_back("If-Modified-Since", old->last_modified);
  SLUICE_CHECK(api_.wait_turn(url, {.stop = request.stop, .deadline = context.deadline()}));
  const cache::Key key{.scope = cache::Scope::shared(), .text = url.text()};
  const cache::Cache<PartialPtr>::Handle begun = partial_.find(key);
  WatchedClient client(api_.client_to(url), begun && old == nullptr ? *begun : nullptr);
  SpoolTarget target(folder_, client, context, on_beginning);
  const Result<fetch::Downloaded> done = fetch::download(
      client, request, target, kDownloadRetries,
      {.clock = api_.clock(), .pause = fetch::system_pause(), .random = &fetch::system_random});
  if (!done.ok()) {
    keep_partial(key, client.validator(), target.bytes(), done.error(), [&] { return target.take(); });
    return not_reached(done.error(), place);
  }
  partial_.invalidate(key);
  const fetch::Head& head = done->head;
  if (head.status == 304 && old != nullptr) return DownloadPtr();
  if (head.status < 200 || head.status > 299) return file_refused(url, head.status);
  auto out = std::make_shared<Download>();
  SLUICE_TRY(out->file, target.take());
  out->bytes = done->bytes;
  out->etag = header(head.headers, "etag");
  out->last_modified = header(head.headers, "last-modified");
  out->type = header(head.headers, "content-type");
  return DownloadPtr(std::move(out));
}

}  // namespace sluice::ckan
