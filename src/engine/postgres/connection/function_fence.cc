#include "connection/function_fence.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "sluice/base/text.h"

namespace sluice::engine::postgres {

namespace {

// Beginnings of names.
constexpr std::array<std::string_view, 34> kRefused = {
    "dblink",
    "lo_",
    "loread",
    "lowrite",
    "pg_advisory",
    "pg_backup_",
    "pg_cancel_backend",
    "pg_create_",
    "pg_current_logfile",
    "pg_drop_",
    "pg_export_snapshot",
    "pg_file_",
    "pg_import_system_collations",
    "pg_log_",
    "pg_logical_",
    "pg_ls_",
    "pg_notify",
    "pg_promote",
    "pg_read_",
    "pg_reload_conf",
    "pg_replication_",
    "pg_rotate_",
    "pg_start_backup",
    "pg_stat_file",
    "pg_stat_reset",
    "pg_stop_backup",
    "pg_switch_wal",
    "pg_terminate_backend",
    "pg_try_advisory",
    "pg_wal_",
    "query_to_xml",
    "set_config",
    "setval",
    "ts_stat",
};

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '$'; }

// Walks over the words of a statement. What it does not know, it takes for one character.
class Words {
 public:
  explicit Words(std::string_view sql) : rest_(sql) {}

  // Past spaces, comments and constants, to the next word or character; false at the end.
  bool next() {
    skip_spaces();
    if (rest_.empty()) return false;
    word_.clear();
    is_name_ = false;
    const char c = rest_.front();
    if (c == '"') {
      take_quoted('"');
      is_name_ = true;
    } else if (c == '\'') {
      take_quoted('\'');
    } else if (is_name_start(c)) {
      take_name();
    } else if (c == '$' && skip_dollar_quoted()) {
      word_ = "'";
    } else {
      word_ = c;
      rest_.remove_prefix(1);
    }
    return true;
  }

  const std::string& word() const { return word_; }
  bool is_name() const { return is_name_; }
  bool is_escaped() const { return is_escaped_; }  // U&"…", whose characters may be written as numbers.
  bool is_called() {
    skip_spaces();
    return rest_.starts_with('(');
  }

 private:
  void take_name() {
    std::size_t size = 1;
    while (size < rest_.size() && is_name_part(rest_[size])) ++size;
    word_ = to_lower_ascii(rest_.substr(0, size));
    rest_.remove_prefix(size);
    is_escaped_ = false;
    if (word_ == "e" && rest_.starts_with('\'')) return take_escaped_text();
    if (word_ == "u" && rest_.starts_with("&\"")) {
      rest_.remove_prefix(1);
      word_.clear();
      take_quoted('"');
      is_escaped_ = true;
    }
    is_name_ = true;
  }

  void take_quoted(char mark) {
    is_escaped_ = false;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const bool is_mark = rest_.front() == mark;
      if (is_mark && !rest_.substr(1).starts_with(mark)) break;
      word_ += rest_.front();
      rest_.remove_prefix(is_mark ? 2 : 1);
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
  }

  void take_escaped_text() {  // E'it\'s'.
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '\'')
      rest_.remove_prefix(rest_.front() == '\\' && rest_.size() > 1 ? 2 : 1);
    if (!rest_.empty()) rest_.remove_prefix(1);
    word_ = "'";
  }

  bool skip_dollar_quoted() {  // $tag$…$tag$, but not $1.
    std::size_t size = 1;
    while (size < rest_.size() && rest_[size] != '$' && is_name_part(rest_[size])) ++size;
    if (size >= rest_.size() || rest_[size] != '$' || (rest_[1] >= '0' && rest_[1] <= '9')) return false;
    const std::string_view tag = rest_.substr(0, size + 1);
    const std::size_t end = rest_.find(tag, tag.size());
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + tag.size());
    return true;
  }

  void skip_spaces() {
    while (!rest_.empty()) {
      if (rest_.find_first_of(" \t\r\n\f\v") == 0) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("--")) {
        rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_comment() {  // They nest.
    std::size_t depth = 0;
    do {
      if (rest_.starts_with("/*")) {
        ++depth;
        rest_.remove_prefix(2);
      } else if (rest_.starts_with("*/")) {
        --depth;
        rest_.remove_prefix(2);
      } else if (!rest_.empty()) {
        rest_.remove_prefix(1);
      }
    } while (depth > 0 && !rest_.empty());
  }

  std::string_view rest_;  // Kept alive by the caller of check_functions.
  std::string word_;
  bool is_name_ = false;
  bool is_escaped_ = false;
};

bool is_refused(std::string_view name) {
  for (const std::string_view refused : kRefused) {
    if (name.starts_with(refused)) return true;
  }
  return false;
}

}  // namespace

Status check_functions(std::string_view sql) {
  Words words(sql);
  while (words.next()) {
    if (!words.is_name() || !words.is_called()) continue;
    if (words.is_escaped() || is_refused(words.word())) {
      return forbidden("the statement calls a function that is not permitted: " + excerpt(words.word()))
          .with_code("access_denied")
          .with_hint("Only SELECT over tables that the role can read is run.");
    }
  }
  return {};
}

}  // namespace sluice::engine::postgres
