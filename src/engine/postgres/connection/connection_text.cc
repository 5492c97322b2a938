#include "connection/connection_text.h"

#include <map>
#include <memory>
#include <string_view>

#include <libpq-fe.h>

#include "sluice/engine/postgres.h"

namespace sluice::engine::postgres {

namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
struct FreeText {
  void operator()(char* text) const noexcept { PQfreemem(text); }
};

// Nothing is there. An empty value would mean the file of that kind in the home folder.
constexpr std::string_view kNoFile = "/nonexistent/sluice";

// Ours, where the url says nothing.
const std::map<std::string_view, std::string_view>& defaults() {
  static const std::map<std::string_view, std::string_view> all = {
      {"connect_timeout", "5"},      {"keepalives", "1"},         {"keepalives_idle", "30"},
      {"keepalives_interval", "10"}, {"keepalives_count", "3"},   {"passfile", kNoFile},
      {"sslcert", kNoFile},          {"sslkey", kNoFile},         {"sslrootcert", kNoFile},
      {"sslcrl", kNoFile},           {"gssencmode", "disable"},   {"krbsrvname", "postgres"},
      {"tcp_user_timeout", "10000"}, {"client_encoding", "UTF8"},
  };
  return all;
}

void append_setting(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += ' ';
  (out += name) += "='";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

Error invalid_url() {
  return invalid_input("read the url of a database: it is none that PostgreSQL's library takes")
      .with_code("invalid_configuration")
      .with_hint("It reads postgres://role:password@host:port/database?sslmode=verify-full.");
}

}  // namespace

Result<std::string> connection_text(const PostgresOptions& options) {
  if (options.url.find('\0') != std::string::npos) return invalid_url();
  char* raw_message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> given(
      PQconninfoParse(options.url.c_str(), &raw_message));
  const std::unique_ptr<char, FreeText> message(raw_message);  // It may quote the url, so it is not told.
  if (!given) return invalid_url();
  std::string out;
  for (const PQconninfoOption* option = given.get(); option->keyword != nullptr; ++option) {
    const std::string_view name = option->keyword;
    // A service is a file's word for settings. Of replication comes a protocol without prepared statements.
    if (name == "service" || name == "replication") {
      if (option->val != nullptr && *option->val != '\0') return invalid_url();
      continue;
    }
    if (name == "application_name" || name == "client_encoding" || name == "fallback_application_name")
      continue;
    if (option->val != nullptr) {
      append_setting(out, name, option->val);
    } else if (const auto ours = defaults().find(name); ours != defaults().end()) {
      append_setting(out, name, ours->second);
    } else {
      append_setting(out, name, option->compiled == nullptr ? "" : option->compiled);
    }
  }
  append_setting(out, "replication", "");
  append_setting(out, "fallback_application_name", "");
  append_setting(out, "client_encoding", "UTF8");
  append_setting(out, "application_name", options.name);
  return out;
}

}  // namespace sluice::engine::postgres
