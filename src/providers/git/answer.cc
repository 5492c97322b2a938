#include "answer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/uri.h"
#include "sluice/contents/contents.h"

#include "commit_text.h"
#include "history.h"
#include "ref.h"
#include "ref_list.h"
#include "status.h"
#include "tree_contents.h"

namespace sluice::git {

namespace {

constexpr std::size_t kLogEntries = 10;         // Where the caller names no limit.
constexpr std::size_t kJsonBytes = 500 * 1024;  // A page of a history ends there,
constexpr std::size_t kLineBytes = 2 * 1024;    // or, as text, so much before it would be cut.
constexpr std::string_view kText = "text/plain";
constexpr std::string_view kJson = "application/json";

// The same question, from a commit on.
std::string next_uri(const Question& question, const git_oid& after) {
  const GitUri& asked = question.asked;
  std::string out = question.uri.substr(0, question.uri.find('?')) + "?after=" + to_hex(after);
  if (asked.limit != 0) out += "&limit=" + std::to_string(asked.limit);
  if (!asked.path.empty()) out += "&path=" + percent_encode(asked.path);
  if (asked.is_json) out += "&format=json";
  return out;
}

// JSON is never cut: what does not fit is left out before.
protocol::ResourceContents json_of(const Question& question, std::string json) {
  protocol::ResourceContents out;
  out.uri = question.uri;
  out.mime_type = std::string(kJson);
  out.body = protocol::TextBody{.text = std::move(json)};
  return out;
}

// Quotes and the like take more bytes in the JSON string that carries JSON.
std::size_t json_bytes(std::size_t room) { return std::min(kJsonBytes, room / 4 * 3); }

class Reader {
 public:
  Reader(const Repository& repository, const Question& question)
      : repository_(repository), question_(question), asked_(question.asked) {}

  Result<protocol::ResourceContents> read() const {
    switch (asked_.subject) {
      case Subject::kLog:
        return log();
      case Subject::kStatus:
        return show(render_status(repository_, page()));
      case Subject::kBranches:
        return show(render_branches(repository_, page()));
      case Subject::kTags:
        return show(render_tags(repository_, page()));
      case Subject::kCommit:
        return commit();
      case Subject::kDiff:
        return show(render_diff(repository_, asked_.argument, page()));
      case Subject::kAtRef:
        return at_ref();
    }
    return not_found("read a repository");
  }

 private:
  // Of text, the bytes that the URI asks for; of JSON, the entries from `offset` on.
  PageRequest page() const {
    PageRequest request{.form = form(), .text_bytes = contents::bytes_needed(asked_.range)};
    if (!asked_.is_json) return request;
    request.first =
        static_cast<std::size_t>(std::min<std::uint64_t>(asked_.range.offset.value_or(0), UINT32_MAX));
    if (asked_.range.length)
      request.entries_max =
          static_cast<std::size_t>(std::min<std::uint64_t>(*asked_.range.length, request.entries_max));
    request.json_bytes_max = json_bytes(question_.room);
    return request;
  }

  Result<protocol::ResourceContents> show(const Result<RenderedPage>& page) const {
    if (!page.ok()) return page.error();
    const std::string base = question_.uri.substr(0, question_.uri.find('?'));
    if (asked_.is_json) {
      protocol::ResourceContents out = json_of(question_, page->text);
      if (page->next) out.meta.set("sluice/next", fmt::format("{}?format=json&offset={}", base, *page->next));
      return out;
    }
    return contents::text_contents({.uri = question_.uri,
                                    .type = kText,
                                    .text = page->text,
                                    .range = asked_.range,
                                    .room = question_.room,
                                    .is_beginning = page->is_beginning});
  }

  Form form() const { return asked_.is_json ? Form::kJson : Form::kText; }

  Result<protocol::ResourceContents> log() const {
    const Result<git_oid> head = find_ref(repository_, "HEAD");
    if (head.ok()) return history(*head);
    if (head.error().kind != ErrorKind::kNotFound || !asked_.after.empty()) return head.error();
    return show_history({});  // No commit yet.
  }

  Result<protocol::ResourceContents> history(const git_oid& start) const {
    HistoryRequest request{.start = start, .limit = asked_.limit == 0 ? kLogEntries : asked_.limit};
    request.path = asked_.path;
    request.form = form();
    const std::size_t text_bytes = std::min(contents::kContentBytesMax, question_.room);
    request.bytes_max =
        asked_.is_json ? json_bytes(question_.room) : text_bytes - std::min(text_bytes, kLineBytes);
    if (!asked_.after.empty()) {
      SLUICE_TRY(request.after, find_id(repository_, asked_.after));
    }
    SLUICE_TRY(const History history, read_history(repository_, request));
    protocol::ResourceContents out = show_history(history);
    if (history.next_after) out.meta.set("sluice/next", next_uri(question_, *history.next_after));
    return out;
  }

  protocol::ResourceContents show_history(const History& history) const {
    if (asked_.is_json) return json_of(question_, history_json(history));
    return contents::text_contents(question_.uri, kText, history_text(history));
  }

  Result<protocol::ResourceContents> commit() const {
    SLUICE_TRY(const git_oid id, find_commit(repository_, asked_.argument));
    return show(render_commit(repository_, id, page()));
  }

  Result<protocol::ResourceContents> at_ref() const {
    if (asked_.may_be_commits && !asked_.range.is_given()) {
      std::string ref;
      for (std::size_t i = 0; i + 1 < asked_.segments.size(); ++i)
        ref += (i == 0 ? "" : "/") + asked_.segments[i];
      const Result<git_oid> start = find_commit(repository_, ref);
      if (start.ok()) return history(*start);
      if (start.error().kind != ErrorKind::kNotFound) return start.error();
    }
    SLUICE_TRY(const RefSplit split, split_ref(repository_, asked_.segments));
    if (asked_.is_json || asked_.limit != 0 || !asked_.path.empty()) return not_found("read a file");
    TreeRequest request{.commit = split.commit, .names = {}, .ref = split.ref, .prefix = question_.prefix};
    request.names.assign(asked_.segments.begin() + static_cast<std::ptrdiff_t>(split.segments),
                         asked_.segments.end());
    request.uri = question_.uri;
    request.is_folder = asked_.is_folder;
    request.range = asked_.range;
    request.after = asked_.after;
    request.room = question_.room;
    return read_tree(repository_, request);
  }

  const Repository& repository_;
  const Question& question_;
  const GitUri& asked_;
};

Result<protocol::ResourceContents> read_resource(const Place& place, const Question& question,
                                                 const catalog::Context& context) {
  Repository::Options options{.stop = context.stop(), .deadline = context.deadline()};
  if (question.asked.subject == Subject::kStatus) {
    if (place.is_bare) return not_found("a bare repository has no status");
    SLUICE_CHECK(check_worktree(place, context.stop()));
    options.worktree = Worktree::kWithFiles;
  }
  SLUICE_TRY(const Repository repository, Repository::open(place, std::move(options)));
  return Reader(repository, question).read();
}

}  // namespace

Result<protocol::ReadResult> answer(const Place& place, const Question& question,
                                    const catalog::Context& context) {
  Result<protocol::ResourceContents> contents = read_resource(place, question, context);
  if (!contents.ok()) {
    const Error& cause = contents.error();
    // Those are about the request, and have been worded for the caller.
    const bool is_told = cause.kind == ErrorKind::kLimitReached || cause.kind == ErrorKind::kInvalidInput;
    if (is_told) return cause;
    return contents::read_failure(cause, question.uri);
  }
  protocol::ReadResult result;
  const bool is_status = question.asked.subject == Subject::kStatus;
  result.cache = {.ttl = is_status ? std::chrono::milliseconds(0) : question.ttl, .shared = false};
  result.contents.push_back(*std::move(contents));
  return result;
}

}  // namespace sluice::git
