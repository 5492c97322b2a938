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
constexpr std::size_t kRefsShown = 1'000;
constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kRemotes = "refs/remotes/";
constexpr std::string_view kTags = "refs/tags/";

struct Branch {
  std::string name;
  bool is_remote = false;
  bool is_head = false;
  CommitLine commit;
};
struct Branches {
  std::vector<Branch> shown;
  std::size_t total = 0;
};

struct Tag {
  std::string name;
  bool is_annotated = false;
  std::string target;  // What a tag of something else than a commit is of; else empty.
  git_oid id{};        // Of the commit, or of what else it is of.
  Person tagger;
  std::string subject;
};
struct Tags {
  std::vector<Tag> shown;
  std::size_t total = 0;
};

Result<Branches> read_branches(const Repository& repository) {
  SLUICE_TRY(const std::string head, head_branch(repository));
  Branches out;
  for (const std::string_view folder : {kHeads, kRemotes}) {
    SLUICE_TRY(const std::vector<std::string> names, ref_names(repository, folder));
    out.total += names.size();
    for (const std::string& name : names) {
      if (out.shown.size() == kRefsShown) break;
      const Result<git_oid> id = find_ref(repository, name);
      SLUICE_CHECK(repository.gate().status());
      if (!id.ok()) continue;  // It leads nowhere.
      Branch branch{.name = name.substr(folder.size()), .is_remote = folder == kRemotes};
      branch.is_head = !branch.is_remote && branch.name == head;
      SLUICE_TRY(branch.commit, describe_commit(repository, *id));
      out.shown.push_back(std::move(branch));
    }
  }
  return out;
}

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

Result<Tags> read_tags(const Repository& repository) {
  SLUICE_TRY(const std::vector<std::string> names, ref_names(repository, kTags));
  Tags out;
  out.total = names.size();
  for (const std::string& name : names) {
    if (out.shown.size() == kRefsShown) break;
    Result<Tag> tag = read_tag(repository, name);
    SLUICE_CHECK(repository.gate().status());
    if (!tag.ok()) continue;  // It leads nowhere.
    out.shown.push_back(*std::move(tag));
  }
  return out;
}

std::string more_line(std::size_t total, std::size_t shown) {
  return total > shown ? fmt::format("[{} more]\n", total - shown) : std::string();
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

Result<std::string> branches_text(const Repository& repository) {
  SLUICE_TRY(const Branches branches, read_branches(repository));
  std::string out;
  for (const Branch& branch : branches.shown)
    out += fmt::format("{} {} {} {}\n", branch.is_head ? '*' : ' ', branch.name, short_id(branch.commit.id),
                       branch.commit.subject);
  return out + more_line(branches.total, branches.shown.size());
}

Result<std::string> branches_json(const Repository& repository) {
  SLUICE_TRY(const Branches branches, read_branches(repository));
  json::Writer out;
  out.begin_object().key("branches").begin_array();
  for (const Branch& branch : branches.shown) {
    out.begin_object().field("name", branch.name).field("id", to_hex(branch.commit.id));
    out.field("head", branch.is_head).field("remote", branch.is_remote);
    out.field("time", branch.commit.author.time).field("subject", branch.commit.subject).end_object();
  }
  out.end_array().field("total", branches.total).end_object();
  return std::move(out).take();
}

Result<std::string> tags_text(const Repository& repository) {
  SLUICE_TRY(const Tags tags, read_tags(repository));
  std::string out;
  for (const Tag& tag : tags.shown) out += fmt::format("{} {} {}\n", tag.name, short_id(tag.id), tag.subject);
  return out + more_line(tags.total, tags.shown.size());
}

Result<std::string> tags_json(const Repository& repository) {
  SLUICE_TRY(const Tags tags, read_tags(repository));
  json::Writer out;
  out.begin_object().key("tags").begin_array();
  for (const Tag& tag : tags.shown) {
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
  out.end_array().field("total", tags.total).end_object();
  return std::move(out).take();
}

}  // namespace sluice::git
