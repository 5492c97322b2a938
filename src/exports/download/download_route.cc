#include "download/download_route.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/base/version.h"
#include "sluice/crypto/digest.h"

#include "access.h"
#include "download/file_bodies.h"
#include "http/attachment.h"
#include "http/byte_range.h"
#include "http/problem.h"
#include "http/target.h"

namespace sluice::exports {

namespace {

// A file that is made faster than this has a length and can be read in ranges from the start.
constexpr std::chrono::milliseconds kQuickConversion{10};
constexpr std::chrono::minutes kPatience{10};  // For a whole file, where a part of it is asked for.

// One answer for whatever is wrong with a link, so that nobody learns which handles there are.
protocol::Final no_such_download() {
  return problem_of(not_found("there is no such download: it never was, has expired, or is not yours")
                        .with_code("unknown_download")
                        .with_hint("Ask the server that gave you the link for a new one."));
}

// What one request asks for.
struct DownloadRequest {
  std::string handle;
  FileFormat format = FileFormat::kCsv;
  std::string expires;
  std::string signature;
  std::string name;  // Of the file; may be anything.

  bool has_link() const { return !expires.empty() || !signature.empty(); }
};

std::optional<DownloadRequest> read_request(std::string_view text) {
  const Target target = split_target(text);
  const std::string_view file = target.path.substr(kDownloadPath.size());
  const std::size_t dot = file.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<FileFormat> format = parse_format(file.substr(dot + 1));
  constexpr std::array<std::string_view, 3> kKnown = {"exp", "name", "sig"};
  Result<Parameters> parameters = read_parameters(target.query, kKnown);
  if (!format || !parameters.ok()) return std::nullopt;
  return DownloadRequest{.handle = std::string(file.substr(0, dot)),
                         .format = *format,
                         .expires = (*parameters)["exp"],
                         .signature = (*parameters)["sig"],
                         .name = (*parameters)["name"]};
}

// The snapshot of a good link; null for any other.
query::SnapshotPtr find_linked(const RowSource& source, const DownloadRequest& request,
                               const DownloadLinks& links, catalog::Gate* gate) {
  const Result<std::shared_ptr<engine::Engine>> engine = source.engines->get();
  if (!engine.ok()) return nullptr;
  Result<query::SnapshotPtr> found = source.spool->find_any(request.handle, **engine);
  if (!found.ok() || !links.verify(**found, request.expires, request.signature)) return nullptr;
  // A link ends with the rules of its owner.
  if ((*found)->policy != policy_of(source.policies, (*found)->owner)) return nullptr;
  const Access::Decision access =
      Access::of_link((*found)->owner, {.method = "download", .target = request.handle}, gate);
  return std::holds_alternative<Access>(access) ? *std::move(found) : nullptr;
}

// The snapshot of a caller's own handle; null for any other.
query::SnapshotPtr find_own(const RowSource& source, const DownloadRequest& request, const Access& access) {
  const Result<std::shared_ptr<engine::Engine>> engine = source.engines->get();
  if (!engine.ok()) return nullptr;
  const Caller owner{.principal = access.principal(),
                     .policy = policy_of(source.policies, access.principal())};
  Result<query::SnapshotPtr> found = source.spool->find(request.handle, owner, **engine);
  return found.ok() ? *std::move(found) : nullptr;
}

// Equal bytes have equal tags: what is sent depends on the handle, the format and this program alone.
std::string entity_tag(const DownloadRequest& request) {
  const std::string digest =
      crypto::sha256(fmt::format("{} {} {}", request.handle, name_of(request.format), product_version()));
  std::string hex;
  for (const char byte : std::string_view(digest).substr(0, 16))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return '"' + hex + '"';
}

bool names_tag(std::string_view header, std::string_view tag) {
  return header == "*" || header.find(tag) != std::string_view::npos;
}

protocol::Final file_response(const DownloadRequest& request, std::string tag) {
  protocol::Final final;
  final.content_type = std::string(media_type_of(request.format));
  const std::string name = request.name.empty() ? "result-" + request.handle.substr(0, 8) : request.name;
  final.headers = {{"ETag", std::move(tag)},
                   {"Accept-Ranges", "bytes"},
                   {"Content-Disposition", attachment(name, name_of(request.format))}};
  for (const auto& [header, value] : kPrivateFile) final.headers.emplace_back(header, value);
  return final;
}

protocol::Final unsatisfiable(std::uint64_t bytes) {
  protocol::Final final = problem_of(invalid_input(fmt::format("the file has {} bytes", bytes))
                                         .with_code("range_not_satisfiable")
                                         .with_hint("Ask for a range that begins before its end."),
                                     416);
  final.headers.emplace_back("Content-Range", fmt::format("bytes */{}", bytes));
  return final;
}

// The whole file or the range of it that is asked for.
protocol::Final respond_with(query::FilePtr file, protocol::Final final, const RequestedRange& range) {
  const std::uint64_t bytes = file->bytes_when_opened();
  if (range.kind == RangeKind::kUnsatisfiable) return unsatisfiable(bytes);
  ByteRange part{.begin = 0, .end = bytes};
  if (range.kind == RangeKind::kPart) {
    part = range.bytes;
    final.status = 206;
    final.headers.emplace_back("Content-Range",
                               fmt::format("bytes {}-{}/{}", part.begin, part.end - 1, bytes));
  }
  final.body = std::make_shared<FileBody>(std::move(file), part);
  return final;
}

Error too_large(std::uint64_t bytes_max) {
  return limit_reached("bytes of one download", bytes_max)
      .with_code("oversize_result")
      .with_hint("Ask for fewer rows or columns, or for Parquet, which is smaller.");
}

void log_download(const DownloadRequest& request, const query::Snapshot& snapshot, int status) {
  log::info("download", {{"principal", snapshot.owner.id},
                         {"by", request.has_link() ? "link" : "token"},
                         {"format", name_of(request.format)},
                         {"rows", snapshot.rows},
                         {"status", status}});
}

}  // namespace

bool DownloadRoute::has_link(const protocol::HttpHead& head) {
  const std::string_view query = split_target(head.target).query;
  return query.starts_with("sig=") || query.find("&sig=") != std::string_view::npos;
}

void DownloadRoute::receive(const std::shared_ptr<protocol::Exchange>& exchange) {
  exchange->finish(answer(*exchange));
}

protocol::Final DownloadRoute::answer(const protocol::Exchange& exchange) {
  const protocol::HttpHead& head = *exchange.inbound().http;
  const std::optional<DownloadRequest> request = read_request(head.target);
  const std::shared_ptr<const RowSource> source = source_.get();
  if (!request || source == nullptr) return no_such_download();
  query::SnapshotPtr snapshot;
  if (request->has_link()) {
    snapshot = find_linked(*source, *request, *links_, gate_.get());
  } else {
    const Access::Decision access = Access::of_request(
        exchange.inbound(), {.method = "download", .target = request->handle}, gate_.get());
    if (const Refusal* refused = std::get_if<Refusal>(&access)) return problem_of(*refused);
    snapshot = find_own(*source, *request, std::get<Access>(access));
  }
  if (snapshot == nullptr) return no_such_download();
  std::string tag = entity_tag(*request);
  protocol::Final final = file_response(*request, tag);
  if (const std::string known = head.field("if-none-match"); !known.empty() && names_tag(known, tag)) {
    final.status = 304;
    return final;
  }
  final = send(
      exchange,
      {.source = source, .snapshot = snapshot, .format = request->format, .bytes_max = options_.bytes_max},
      std::move(final));
  log_download(*request, *snapshot, final.status);
  return final;
}

protocol::Final DownloadRoute::send(const protocol::Exchange& exchange, Conversion::Request request,
                                    protocol::Final final) {
  const protocol::HttpHead& head = *exchange.inbound().http;
  const std::string asked = head.field("range");
  const std::string condition = head.field("if-range");
  const bool wants_part = !asked.empty() && (condition.empty() || condition == final.headers.front().second);
  const bool needs_whole = wants_part || head.method == "HEAD" || request.format == FileFormat::kParquet;

  query::FilePtr file = request.source->spool->made_file(*request.snapshot, spool_ending(request.format));
  if (file == nullptr) {
    const std::shared_ptr<Conversion> conversion = conversions_.begin(std::move(request));
    Result<query::FilePtr> made =
        conversion->wait(needs_whole ? kPatience : kQuickConversion, exchange.gone());
    if (!made.ok()) return problem_of(made.error());
    if (*made == nullptr && needs_whole) return problem_of(deadline_exceeded());
    if (*made == nullptr) {
      final.body = std::make_shared<GrowingBody>(conversion, exchange.gone());
      return final;
    }
    file = *std::move(made);
  }
  const std::uint64_t bytes = file->bytes_when_opened();
  if (bytes > options_.bytes_max) return problem_of(too_large(options_.bytes_max));
  return respond_with(std::move(file), std::move(final),
                      wants_part ? read_range(asked, bytes) : RequestedRange{});
}

}  // namespace sluice::exports
