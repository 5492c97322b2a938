#include "toml_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "toml_scanner.h"

namespace sluice::hosts {

namespace {

using Key = std::vector<TomlKeyPart>;

class TomlTextReader {
 public:
  TomlTextReader(std::string_view text, std::string_view kept) : scanner_(text), kept_(kept) {
    made_.root.kind = NodeKind::kTable;
    made_.root.span = {.begin = 0, .end = text.size()};
  }

  Result<TomlText> read() {
    while (true) {
      SLUICE_CHECK(scanner_.skip_blanks_comments_newlines());
      if (scanner_.is_at_end()) return std::move(made_);
      SLUICE_CHECK(read_statement());
      scanner_.skip_blanks();
      SLUICE_CHECK(scanner_.skip_comment());
      if (!scanner_.is_at_end() && !scanner_.take_newline())
        return scanner_.fail("the end of the line was expected");
    }
  }

 private:
  Status read_statement() {
    const std::size_t begin = scanner_.offset();
    if (scanner_.next() == '[') return read_header(begin);
    SLUICE_TRY(const Key key, scanner_.read_key());
    scanner_.skip_blanks();
    if (!scanner_.take("=")) return scanner_.fail("= was expected");
    scanner_.skip_blanks();
    NodeMember member{
        .key = key.back().name, .key_begin = begin, .stem_begin = key.back().begin, .value = {}};
    SLUICE_TRY(member.value, scanner_.read_value());
    SLUICE_CHECK(set_value(key, std::move(member)));
    std::vector<std::string> path = header_;
    for (const TomlKeyPart& part : key) path.push_back(part.name);
    remember(std::move(path), begin, false);
    return {};
  }

  void remember(std::vector<std::string> path, std::size_t begin, bool is_header) {
    if (path.front() != kept_) return;
    made_.statements.push_back(
        {.path = std::move(path), .span = {begin, scanner_.offset()}, .is_header = is_header});
  }

  Status read_header(std::size_t begin) {
    const bool is_array = scanner_.take("[[");
    if (!is_array) scanner_.take("[");
    SLUICE_TRY(const Key key, scanner_.read_key());
    scanner_.skip_blanks();
    if (!scanner_.take(is_array ? "]]" : "]"))
      return scanner_.fail(is_array ? "]] was expected" : "] was expected");
    // Tables that dotted keys defined cannot be extended by dotted keys of later sections.
    for (const std::vector<std::string>& path : dotted_) {
      TextNode* table = table_;
      for (const std::string& name : path) table = &find_member(*table, name)->value;
      table->is_explicit = true;
    }
    dotted_.clear();
    header_.clear();
    for (const TomlKeyPart& part : key) header_.push_back(part.name);
    remember(header_, begin, true);
    return is_array ? open_table_array(key) : open_table(key);
  }

  // The table of one more name below `table`, which is made if it does not exist. Of an array of tables the
  // last.
  Result<TextNode*> enter(TextNode& table, const TomlKeyPart& part) {
    NodeMember* found = find_member(table, part.name);
    if (found == nullptr) {
      if (++nodes_ > kTomlNodesMax) return scanner_.fail(fmt::format("more than {} tables", kTomlNodesMax));
      table.members.push_back(
          {.key = part.name, .key_begin = part.begin, .stem_begin = part.begin, .value = {}});
      found = &table.members.back();
      found->value.kind = NodeKind::kTable;
    }
    TextNode& value = found->value;
    if (value.is_inline || (value.kind != NodeKind::kTable && !value.is_table_array))
      return scanner_.fail_at(part.begin, fmt::format("{} has a value already", part.name));
    return value.is_table_array ? &value.items.back() : &value;
  }

  Result<TextNode*> enter_all(const Key& key) {
    TextNode* table = &made_.root;
    for (std::size_t i = 0; i + 1 < key.size(); ++i) {
      SLUICE_TRY(table, enter(*table, key[i]));
    }
    return table;
  }

  Status open_table(const Key& key) {
    SLUICE_TRY(TextNode * outer, enter_all(key));
    const NodeMember* const found = find_member(*outer, key.back().name);
    if (found != nullptr && (found->value.is_explicit || found->value.is_table_array))
      return scanner_.fail_at(key.back().begin, "the table is defined twice");
    SLUICE_TRY(TextNode * table, enter(*outer, key.back()));
    table->is_explicit = true;
    table_ = table;
    return {};
  }

  Status open_table_array(const Key& key) {
    SLUICE_TRY(TextNode * outer, enter_all(key));
    NodeMember* found = find_member(*outer, key.back().name);
    if (found == nullptr) {
      outer->members.push_back({.key = key.back().name,
                                .key_begin = key.back().begin,
                                .stem_begin = key.back().begin,
                                .value = {}});
      found = &outer->members.back();
      found->value.kind = NodeKind::kArray;
      found->value.is_table_array = true;
    }
    if (!found->value.is_table_array)
      return scanner_.fail_at(key.back().begin, fmt::format("{} has a value already", key.back().name));
    if (++nodes_ > kTomlNodesMax) return scanner_.fail(fmt::format("more than {} tables", kTomlNodesMax));
    found->value.items.push_back({.kind = NodeKind::kTable});
    table_ = &found->value.items.back();
    return {};
  }

  Status set_value(const Key& key, NodeMember member) {
    TextNode* table = table_;
    std::vector<std::string> path;
    for (std::size_t i = 0; i + 1 < key.size(); ++i) {
      const NodeMember* const found = find_member(*table, key[i].name);
      if (found != nullptr && (found->value.is_explicit || found->value.is_table_array))
        return scanner_.fail_at(key[i].begin, fmt::format("{} is defined elsewhere", key[i].name));
      SLUICE_TRY(table, enter(*table, key[i]));
      path.push_back(key[i].name);
      dotted_.push_back(path);
    }
    if (find_member(*table, member.key) != nullptr)
      return scanner_.fail_at(key.back().begin, fmt::format("{} is there twice", member.key));
    table->members.push_back(std::move(member));
    return {};
  }

  TomlScanner scanner_;
  std::string_view kept_;
  TomlText made_;
  // The one that the last header opened. It stays where it is: until the next header only its contents grow.
  TextNode* table_ = &made_.root;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> dotted_;  // Tables below it that keys of its section have named.
  std::size_t nodes_ = 0;
};

}  // namespace

Result<TomlText> read_toml_text(std::string_view text, std::string_view kept) {
  if (const std::size_t bad = first_invalid_utf8(text); bad < text.size())
    return text_error(text, bad, "bytes that are not UTF-8");
  return TomlTextReader(text, kept).read();
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20U || byte == 0x7FU) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(byte));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string toml_key(std::string_view key) {
  const bool is_bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare_key_character);
  return is_bare ? std::string(key) : toml_string(key);
}

}  // namespace sluice::hosts
