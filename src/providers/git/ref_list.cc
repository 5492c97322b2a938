#include "ref_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"

#include "history.h"
#include "ref.h"

namespace sluice::git {

namespace {

constexpr std::size_t kRefsMax = 50'000;
constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kRemotes = "refs/remotes/";
constexpr std::string_view kTags = "refs/tags/";

struct Branch {
  std::string name;
  bool is_remote = false;
  bool is_head = false;
  CommitLine commit;
};
struct Tag {
  std::string name;
  bool is_annotated = false;
  std::string target;  // What a tag of something else than a commit is of; else empty.
  git_oid id{};        // Of the commit, or of what else it is of.
  Person tagger;
  std::string subject;
};
// A list that is written entry by entry.
class ListWriter {
 public:
  ListWriter(const PageRequest& request, std::string_view key) : request_(request) {
    out_.begin_object().key(key).begin_array();
  }

  bool ends_before(std::size_t at) const {
    return request_.ends_before(at, request_.is_json() ? out_.size() : text_.size());
  }
  json::Writer& json() { return out_; }
  void add_line(std::string_view line) { text_ += line; }

  RenderedPage finish(std::size_t end, std::size_t total) && {
    RenderedPage page;
    if (!request_.is_json()) {
      page.text = std::move(text_);
      page.is_beginning = end < total;
      return page;
    }
    if (end < total) page.next = end;
    out_.end_array().field("total", total).end_object();
    page.text = std::move(out_).take();
    return page;
  }

 private:
  const PageRequest& request_;
  std::string text_;
  json::Writer out_;
};

Result<Tag> read_tag(const Repository& repository, const std::string& full_name) {
  Tag out{.name = full_name.substr(kTags.size())};
  ReferenceHandle reference;
  int code = take(reference, [&](git_reference** to) {
    return git_reference_lookup(to, repository.raw(), full_name.c_str());
  });
  ObjectHandle object;
  if (code == 0)
    code = take(object,
                [&](git_object** to) { return git_reference_peel(to, reference.get(), GIT_OBJECT_ANY); });
  if (code < 0) return repository.failure(code, "look for a tag");
  out.id = *git_object_id(object.get());
  TagHandle tag;
  git_oid own{};
  if (git_reference_name_to_id(&own, repository.raw(), full_name.c_str()) == 0)
    take(tag, [&](git_tag** to) { return git_tag_lookup(to, repository.raw(), &own); });
  if (tag) {
    out.is_annotated = true;
    out.tagger = person_of(git_tag_tagger(tag.get()), {});
    const char* message = git_tag_message(tag.get());
    const std::string_view text = message == nullptr ? std::string_view() : message;
    out.subject = one_line(text.substr(0, text.find('\n')));
  }
  if (git_object_type(object.get()) != GIT_OBJECT_COMMIT) {
    out.target = git_object_type2string(git_object_type(object.get()));
    return out;
  }
  if (out.is_annotated) return out;
  SLUICE_TRY(CommitLine commit, describe_commit(repository, out.id));
  out.subject = std::move(commit.subject);
  out.tagger.time = std::move(commit.author.time);
  return out;
}

void write_branch(const Branch& branch, json::Writer& out) {
  out.begin_object().field("name", branch.name).field("id", to_hex(branch.commit.id));
  out.field("head", branch.is_head).field("remote", branch.is_remote);
  out.field("time", branch.commit.author.time).field("subject", branch.commit.subject).end_object();
}

void write_tag(const Tag& tag, json::Writer& out) {
  out.begin_object().field("name", tag.name).field("id", to_hex(tag.id));
  if (!tag.target.empty()) out.field("type", tag.target);
  out.field("annotated", tag.is_annotated);
  if (!tag.tagger.name.empty())
    out.key("tagger")
        .begin_object()
        .field("name", tag.tagger.name)
        .field("email", tag.tagger.email)
        .end_object();
  if (!tag.tagger.time.empty()) out.field("time", tag.tagger.time);
  out.field("subject", tag.subject).end_object();
}

}  // namespace

Result<std::vector<std::string>> ref_names(const Repository& repository, std::string_view folder) {
  ReferenceIteratorHandle iterator;
  const std::string pattern = std::string(folder) + "*";
  int code = take(iterator, [&](git_reference_iterator** to) {
    return git_reference_iterator_glob_new(to, repository.raw(), pattern.c_str());
  });
  if (code < 0) return repository.failure(code, "list refs");
  std::vector<std::string> out;
  const char* name = nullptr;
  while (out.size() < kRefsMax && (code = git_reference_next_name(&name, iterator.get())) == 0) {
    if (!repository.gate().has_time()) return repository.gate().status().error();
    if (is_ref_name(name)) out.emplace_back(name);
  }
  if (code < 0 && code != GIT_ITEROVER) return repository.failure(code, "list refs");
  std::sort(out.begin(), out.end());
  return out;
}

Result<std::string> head_branch(const Repository& repository) {
  ReferenceHandle head;
  const int code =
      take(head, [&](git_reference** to) { return git_reference_lookup(to, repository.raw(), "HEAD"); });
  if (code < 0) return repository.failure(code, "look for HEAD");
  const char* target = git_reference_symbolic_target(head.get());
  const std::string_view name = target == nullptr ? std::string_view() : target;
  if (!name.starts_with(kHeads) || !is_ref_name(name)) return std::string();
  return std::string(name.substr(kHeads.size()));
}

Result<RenderedPage> render_branches(const Repository& repository, const PageRequest& request) {
  SLUICE_TRY(const std::string head, head_branch(repository));
  SLUICE_TRY(std::vector<std::string> names, ref_names(repository, kHeads));
  SLUICE_TRY(const std::vector<std::string> remotes, ref_names(repository, kRemotes));
  names.insert(names.end(), remotes.begin(), remotes.end());
  ListWriter out(request, "branches");
  std::size_t at = std::min(request.first, names.size());
  for (; at < names.size() && !out.ends_before(at); ++at) {
    const std::string& name = names[at];
    const Result<git_oid> id = find_ref(repository, name);
    SLUICE_CHECK(repository.gate().status());
    if (!id.ok()) continue;  // It leads nowhere.
    const bool is_remote = name.starts_with(kRemotes);
    Branch branch{.name = name.substr((is_remote ? kRemotes : kHeads).size()), .is_remote = is_remote};
    branch.is_head = !is_remote && branch.name == head;
    SLUICE_TRY(branch.commit, describe_commit(repository, *id));
    if (request.is_json()) {
      write_branch(branch, out.json());
    } else {
      out.add_line(fmt::format("{} {} {} {}\n", branch.is_head ? '*' : ' ', branch.name,
                               short_id(branch.commit.id), branch.commit.subject));
    }
  }
  return std::move(out).finish(at, names.size());
}

Result<RenderedPage> render_tags(const Repository& repository, const PageRequest& request) {
  SLUICE_TRY(const std::vector<std::string> names, ref_names(repository, kTags));
  ListWriter out(request, "tags");
  std::size_t at = std::min(request.first, names.size());
  for (; at < names.size() && !out.ends_before(at); ++at) {
    const Result<Tag> tag = read_tag(repository, names[at]);
    SLUICE_CHECK(repository.gate().status());
    if (!tag.ok()) continue;  // It leads nowhere.
    if (request.is_json()) {
      write_tag(*tag, out.json());
    } else {
      out.add_line(fmt::format("{} {} {}\n", tag->name, short_id(tag->id), tag->subject));
    }
  }
  return std::move(out).finish(at, names.size());
}

}  // namespace sluice::git
