#include "walk.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace sluice::git {

namespace {

// What a walk needs of a commit. libgit2 makes much more of one, which takes three times as long.
struct Links {
  std::vector<git_oid> parents;
  std::int64_t time = 0;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// "committer Ada <ada@example.org> 1767225660 +0000"; 0 where there is no time.
std::int64_t time_of(std::string_view line) {
  line.remove_prefix(line.rfind('>') + 1);  // From the beginning where there is none.
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::int64_t time = 0;
  std::from_chars(line.data(), line.data() + line.size(), time);
  return time;
}

Links parse_links(std::string_view text) {
  Links out;
  constexpr std::string_view kParent = "parent ";
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    if (line.starts_with("committer ")) {
      out.time = time_of(line);
      break;  // Nothing that matters follows.
    }
    git_oid parent{};
    const bool is_parent = line.starts_with(kParent) && line.size() == kParent.size() + GIT_OID_HEXSZ;
    if (is_parent && git_oid_fromstrn(&parent, line.data() + kParent.size(), GIT_OID_HEXSZ) == 0)
      out.parents.push_back(parent);
  }
  return out;
}

}  // namespace

Result<Walk> Walk::begin(const Repository& repository, const git_oid& start) {
  Walk out(repository);
  SLUICE_CHECK(out.add(start));
  return out;
}

Status Walk::add(const git_oid& id) {
  if (!met_.insert(id).second) return {};
  OdbObjectHandle object;
  const int code =
      take(object, [&](git_odb_object** to) { return git_odb_read(to, repository_->objects(), &id); });
  if (code < 0) return repository_->failure(code, "read a commit");
  if (git_odb_object_type(object.get()) != GIT_OBJECT_COMMIT) return not_found("read a commit");
  Links links = parse_links(
      {static_cast<const char*>(git_odb_object_data(object.get())), git_odb_object_size(object.get())});
  Waiting found{.time = links.time, .met = met_.size(), .id = id, .parents = std::move(links.parents)};
  waiting_.push(std::move(found));
  return {};
}

Result<std::optional<git_oid>> Walk::next() {
  if (!repository_->gate().has_time()) return repository_->gate().status().error();
  if (waiting_.empty()) return std::optional<git_oid>();
  const Waiting latest = waiting_.top();
  waiting_.pop();
  for (const git_oid& parent : latest.parents) {
    const Status added = add(parent);
    if (!added.ok() && added.error().kind != ErrorKind::kNotFound) return added.error();
  }
  return std::optional<git_oid>(latest.id);
}

Status Walk::skip_to(const git_oid& commit) {
  while (true) {  // Ends with the history, or when the gate has no more time.
    SLUICE_TRY(const std::optional<git_oid> id, next());
    if (!id) return not_found("look for a commit in a history");
    if (git_oid_equal(&*id, &commit) != 0) return {};
  }
}

}  // namespace sluice::git
