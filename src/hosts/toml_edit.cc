#include "toml_edit.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "json_edit.h"

namespace sluice::hosts {

namespace {

std::string toml_array(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + toml_string(word);
  return "[" + text + "]";
}

std::string new_section(const HostShape& shape, std::string_view name, const ServerEntry& entry,
                        std::string_view ending) {
  std::string text = fmt::format("[{}.{}]{}", shape.container, toml_key(name), ending);
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{} = {}{}", key, value, ending);
  };
  for (const HostShape::Member& member : shape.before) add(member.key, member.value);
  add("command", toml_string(entry.command));
  add("args", toml_array(entry.arguments));
  for (const HostShape::Member& member : shape.after) add(member.key, member.value);
  return text;
}

std::string append_section(std::string_view text, const std::string& section, std::string_view ending) {
  std::string result(text);
  const bool is_empty = text.empty() || text == kByteOrderMark;
  if (!is_empty && !text.ends_with('\n')) result += ending;
  const std::size_t last = result.empty() ? 0 : result.size() - 1;
  const bool ends_with_blank_line =
      is_empty || indentation(result, last).size() == line_end(result, last) - line_begin(result, last);
  if (!ends_with_blank_line) result += ending;
  return result + section;
}

// Into an inline table of servers, which later lines cannot extend.
std::string add_inline(std::string_view text, const TextNode& table, std::string_view name,
                       const ServerEntry& entry) {
  const std::string made = fmt::format("{} = {{ command = {}, args = {} }}", toml_key(name),
                                       toml_string(entry.command), toml_array(entry.arguments));
  if (table.members.empty())
    return apply_edits(
        text, {{.span = {table.span.begin + 1, table.span.end - 1}, .replacement = " " + made + " "}});
  return apply_edits(text,
                     {{.span = {table.last_token_end, table.last_token_end}, .replacement = ", " + made}});
}

std::vector<std::string> strings_in(const TextNode& array) {
  std::vector<std::string> strings;
  for (const TextNode& item : array.items) strings.push_back(item.string);
  return strings;
}

bool stands_in_line_of_its_own(const HostShape& shape, const TomlText& toml, const NodeMember& command,
                               std::string_view name) {
  for (const TomlStatement& statement : toml.statements) {
    if (statement.span.begin == command.key_begin && !statement.is_header && statement.path.size() == 3 &&
        statement.path[0] == shape.container && statement.path[1] == name)
      return true;
  }
  return false;
}

std::string change_toml_entry(const HostShape& shape, std::string_view text, const TomlText& toml,
                              const NodeMember& server, const ServerEntry& wanted) {
  std::vector<TextEdit> edits;
  const NodeMember& command = *find_member(server.value, "command");
  if (command.value.kind != NodeKind::kString || command.value.string != wanted.command)
    edits.push_back({.span = command.value.span, .replacement = toml_string(wanted.command)});
  const std::string arguments = toml_array(wanted.arguments);
  if (const NodeMember* const found = find_member(server.value, "args"); found != nullptr) {
    const TextNode& value = found->value;
    if (value.kind != NodeKind::kArray || strings_in(value) != wanted.arguments)
      edits.push_back({.span = value.span, .replacement = arguments});
    return apply_edits(text, std::move(edits));
  }
  // The key may be a dotted one; `args` gets the same parts in front.
  const std::string_view prefix = text.substr(command.key_begin, command.stem_begin - command.key_begin);
  const std::string made = fmt::format("{}args = {}", prefix, arguments);
  if (stands_in_line_of_its_own(shape, toml, command, server.key)) {
    const std::size_t end = line_end(text, command.value.span.end);
    edits.push_back({.span = {end, end},
                     .replacement = fmt::format("{}{}{}", line_ending(text),
                                                indentation(text, command.key_begin), made)});
  } else {
    const std::size_t end = command.value.span.end;
    edits.push_back({.span = {end, end}, .replacement = ", " + made});
  }
  return apply_edits(text, std::move(edits));
}

// The lines from the one where a statement begins to the one where it ends.
TextSpan lines_of(std::string_view text, const TomlStatement& statement) {
  std::size_t end = line_end(text, statement.span.end);
  if (end < text.size()) end = text.find('\n', end) + 1;
  const std::size_t begin = line_begin(text, statement.span.begin);
  const bool follows_mark = begin == 0 && text.starts_with(kByteOrderMark);
  return {.begin = follows_mark ? kByteOrderMark.size() : begin, .end = end};
}

std::string remove_inline(std::string_view text, const TextNode& table, std::string_view name) {
  const std::vector<InlinePart>& parts = table.parts;
  std::size_t leading = 0;
  while (leading < parts.size() && parts[leading].name == name) ++leading;
  if (leading == parts.size())
    return apply_edits(text, {{.span = {table.span.begin + 1, table.span.end - 1}, .replacement = ""}});
  std::vector<TextEdit> edits = {
      {.span = {parts.front().span.begin, parts[leading].span.begin}, .replacement = ""}};
  for (std::size_t i = leading + 1; i < parts.size(); ++i) {
    if (parts[i].name == name)
      edits.push_back({.span = {parts[i - 1].span.end, parts[i].span.end}, .replacement = ""});
  }
  return apply_edits(text, std::move(edits));
}

bool is_blank_line(std::string_view text, std::size_t begin) {
  return text.substr(begin, line_end(text, begin) - begin).find_first_not_of(" \t") == std::string_view::npos;
}

}  // namespace

std::string add_toml_server(const HostShape& shape, std::string_view text, const TomlText& toml,
                            std::string_view name, const ServerEntry& entry) {
  const NodeMember* const servers = find_member(toml.root, shape.container);
  if (servers != nullptr) {
    if (const NodeMember* const found = find_member(servers->value, name))
      return change_toml_entry(shape, text, toml, *found, entry);
    if (servers->value.is_inline) return add_inline(text, servers->value, name, entry);
  }
  const std::string_view ending = line_ending(text);
  return append_section(text, new_section(shape, name, entry, ending), ending);
}

std::string remove_toml_server(const HostShape& shape, std::string_view text, const TomlText& toml,
                               std::string_view name) {
  const NodeMember* const servers = find_member(toml.root, shape.container);
  if (servers == nullptr) return std::string(text);
  if (servers->value.is_inline) return remove_inline(text, servers->value, name);
  std::vector<TextEdit> edits;
  for (const TomlStatement& statement : toml.statements) {
    if (statement.path.size() < 2 || statement.path[1] != name) continue;
    TextSpan lines = lines_of(text, statement);
    if (statement.is_header && lines.begin > 0) {
      const std::size_t before = line_begin(text, lines.begin - 1);
      const bool follows_removed = !edits.empty() && edits.back().span.end > before;
      if (!follows_removed && is_blank_line(text, before)) lines.begin = before;
    }
    edits.push_back({.span = lines, .replacement = ""});
  }
  return apply_edits(text, std::move(edits));
}

}  // namespace sluice::hosts
