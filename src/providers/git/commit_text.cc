#include "commit_text.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"

#include "changes.h"
#include "ref.h"

namespace sluice::git {

namespace {

constexpr std::size_t kMessageBytesMax = 64 * 1024;

void write_person(std::string_view key, const Person& person, json::Writer& out) {
  out.key(key).begin_object().field("name", person.name).field("email", person.email).end_object();
}

void write_head(const CommitLine& commit, json::Writer& out) {
  out.field("id", to_hex(commit.id)).key("parents").begin_array();
  for (const git_oid& parent : commit.parents) out.string(to_hex(parent));
  out.end_array();
  write_person("author", commit.author, out);
  out.field("time", commit.author.time).field("subject", commit.subject);
}

std::string message_of(const git_commit& commit) {
  const char* encoding = git_commit_message_encoding(&commit);
  const char* message = git_commit_message(&commit);
  const std::string_view bytes = message == nullptr ? std::string_view() : message;
  return to_utf8(bytes.substr(0, kMessageBytesMax), encoding == nullptr ? std::string_view() : encoding);
}

std::string indented(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += fmt::format("    {}\n", text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string head_text(const CommitLine& head, std::string_view message) {
  std::string out = fmt::format("commit {}\n", to_hex(head.id));
  if (head.parents.size() > 1) {
    out += "Merge:";
    for (const git_oid& parent : head.parents) out += " " + short_id(parent);
    out += '\n';
  }
  return out +
         fmt::format("Author: {}\nDate:   {}\n\n{}\n", head.author.name, head.author.time, indented(message));
}

Result<TreeHandle> tree_of_commit(const Repository& repository, const git_oid& id) {
  SLUICE_TRY(const CommitHandle commit, repository.commit(id));
  return repository.tree_of(*commit);
}

struct Ends {
  git_oid from{};
  git_oid to{};
};

Result<Ends> find_ends(const Repository& repository, std::string_view range) {
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) return not_found("look for a range");
  const bool is_from_base = range.substr(dots).starts_with("...");
  Ends out;
  SLUICE_TRY(out.from, find_commit(repository, range.substr(0, dots)));
  SLUICE_TRY(out.to, find_commit(repository, range.substr(dots + (is_from_base ? 3 : 2))));
  if (!is_from_base) return out;
  git_oid base{};
  const int code = git_merge_base(&base, repository.raw(), &out.from, &out.to);
  if (code < 0) return repository.failure(code, "look for where two commits come from");
  out.from = base;
  return out;
}

RenderedPage page_of(std::string head, const Changes& changes) {
  return {.text = std::move(head) + changes_text(changes), .is_beginning = changes.is_patch_cut};
}

// `out` has the beginning of an object.
RenderedPage page_of(json::Writer out, const Changes& changes, const PageRequest& request) {
  write_changes(changes, out);
  out.end_object();
  RenderedPage page{.text = std::move(out).take()};
  if (const std::size_t end = request.first + changes.files.size(); end < changes.total) page.next = end;
  return page;
}

}  // namespace

std::string history_text(const History& history) {
  std::string out;
  for (const CommitLine& commit : history.commits)
    out += fmt::format("{} {}\n", short_id(commit.id), commit.subject);
  return out;
}

std::string history_json(const History& history) {
  json::Writer out;
  out.begin_object().key("commits").begin_array();
  for (const CommitLine& commit : history.commits) {
    out.begin_object();
    write_head(commit, out);
    out.end_object();
  }
  out.end_array().end_object();
  return std::move(out).take();
}

Result<RenderedPage> render_commit(const Repository& repository, const git_oid& id,
                                   const PageRequest& request) {
  SLUICE_TRY(const CommitLine head, describe_commit(repository, id));
  SLUICE_TRY(const CommitHandle commit, repository.commit(id));
  SLUICE_TRY(const TreeHandle tree, repository.tree_of(*commit));
  TreeHandle before;
  if (!head.parents.empty()) {
    Result<TreeHandle> parent = tree_of_commit(repository, head.parents.front());
    // A shallow clone ends somewhere: there, everything is new.
    if (!parent.ok() && parent.error().kind != ErrorKind::kNotFound) return parent.error();
    if (parent.ok()) before = *std::move(parent);
  }
  SLUICE_TRY(const Changes changes, compare(repository, before.get(), tree.get(), request));
  const std::string message = message_of(*commit);
  if (!request.is_json()) return page_of(head_text(head, message), changes);
  json::Writer out;
  out.begin_object();
  write_head(head, out);
  out.field("message", message);
  return page_of(std::move(out), changes, request);
}

Result<RenderedPage> render_diff(const Repository& repository, std::string_view range,
                                 const PageRequest& request) {
  SLUICE_TRY(const Ends ends, find_ends(repository, range));
  SLUICE_TRY(const TreeHandle from, tree_of_commit(repository, ends.from));
  SLUICE_TRY(const TreeHandle to, tree_of_commit(repository, ends.to));
  SLUICE_TRY(const Changes changes, compare(repository, from.get(), to.get(), request));
  if (!request.is_json()) return page_of(std::string(), changes);
  json::Writer out;
  out.begin_object().field("from", to_hex(ends.from)).field("to", to_hex(ends.to));
  return page_of(std::move(out), changes, request);
}

}  // namespace sluice::git
