#include "scopes.h"

#include <algorithm>

#include "sluice/base/limits.h"

namespace sluice::oauth {

namespace {

constexpr std::size_t kScopeBytesMax = 256;

bool is_scope(std::string_view text) {
  return !text.empty() && text.size() <= kScopeBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
}

bool contains(const Scopes& scopes, const std::string& scope) {
  return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

}  // namespace

Scopes parse_scopes(std::string_view text) {
  Scopes out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (is_scope(word)) add_scopes(out, {std::string(word)});
  }
  return out;
}

std::string to_text(const Scopes& scopes) {
  std::string out;
  for (const std::string& scope : scopes) {
    if (!out.empty()) out += ' ';
    out += scope;
  }
  return out;
}

void add_scopes(Scopes& scopes, const Scopes& more) {
  for (const std::string& scope : more) {
    if (scopes.size() < kOAuthScopesMax && is_scope(scope) && !contains(scopes, scope))
      scopes.push_back(scope);
  }
}

bool contains_all(const Scopes& scopes, const Scopes& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& scope) { return contains(scopes, scope); });
}

}  // namespace sluice::oauth
