#include "sluice/hosts/server_entry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "json_edit.h"
#include "json_text.h"
#include "toml_edit.h"
#include "toml_text.h"

namespace sluice::hosts {

namespace {

// A configuration file as it was read: one of the two.
struct ReadText {
  std::optional<TextNode> json;  // Nothing of a text without anything but spaces.
  std::optional<TomlText> toml;

  const TextNode* root() const {
    if (toml) return &toml->root;
    return json ? &*json : nullptr;
  }
};

bool is_blank(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// A JSON key that is there twice means what the host makes of it.
Status check_unique(std::string_view text, const TextNode& table, std::string_view key) {
  const NodeMember* first = nullptr;
  for (const NodeMember& member : table.members) {
    if (member.key != key) continue;
    if (first != nullptr) {
      return text_error(text, member.key_begin,
                        fmt::format("the key {} is there twice, first in {}", json_string(key),
                                    place_in_text(text, first->key_begin)));
    }
    first = &member;
  }
  return {};
}

Result<ReadText> read_text(const HostShape& shape, std::string_view text) {
  ReadText made;
  if (shape.format == HostFormat::kToml) {
    SLUICE_TRY(made.toml, read_toml_text(text, shape.container));
  } else if (!is_blank(text)) {
    SLUICE_TRY(made.json, read_json_text(text, dialect_of(shape), shape.container));
    SLUICE_CHECK(check_unique(text, *made.json, shape.container));
  }
  const TextNode* const root = made.root();
  const NodeMember* const servers = root == nullptr ? nullptr : find_member(*root, shape.container);
  if (servers == nullptr || servers->value.kind == NodeKind::kTable) return made;
  return text_error(text, servers->key_begin, fmt::format("{} is not a table of servers", shape.container));
}

std::vector<std::string> all_strings(const TextNode& array) {
  std::vector<std::string> strings;
  for (const TextNode& item : array.items) {
    if (item.kind == NodeKind::kString) strings.push_back(item.string);
  }
  return strings;
}

ServerEntry entry_of(const HostShape& shape, const TextNode& table) {
  ServerEntry entry;
  const NodeMember* const command = find_member(table, "command");
  if (command == nullptr) return entry;
  if (shape.has_command_array) {
    entry.arguments = all_strings(command->value);
    if (entry.arguments.empty()) return entry;
    entry.command = std::move(entry.arguments.front());
    entry.arguments.erase(entry.arguments.begin());
    return entry;
  }
  entry.command = command->value.string;
  if (const NodeMember* const arguments = find_member(table, "args"))
    entry.arguments = all_strings(arguments->value);
  return entry;
}

std::vector<std::pair<std::string, std::string>> environment_of(const HostShape& shape,
                                                                const TextNode& table) {
  std::vector<std::pair<std::string, std::string>> variables;
  const NodeMember* const found = find_member(table, shape.has_command_array ? "environment" : "env");
  if (found == nullptr) return variables;
  for (const NodeMember& member : found->value.members) {
    if (member.value.kind == NodeKind::kString) variables.emplace_back(member.key, member.value.string);
  }
  return variables;
}

const NodeMember* find_server(const HostShape& shape, const ReadText& read, std::string_view name) {
  const TextNode* const root = read.root();
  const NodeMember* const servers = root == nullptr ? nullptr : find_member(*root, shape.container);
  return servers == nullptr ? nullptr : find_member(servers->value, name);
}

Status check_server(const HostShape& shape, std::string_view text, const ReadText& read,
                    std::string_view name) {
  const TextNode* const root = read.root();
  const NodeMember* const servers = root == nullptr ? nullptr : find_member(*root, shape.container);
  if (servers == nullptr || read.toml) return {};
  SLUICE_CHECK(check_unique(text, servers->value, name));
  const NodeMember* const found = find_server(shape, read, name);
  if (found == nullptr) return {};
  SLUICE_CHECK(check_unique(text, found->value, "command"));
  return check_unique(text, found->value, "args");
}

// Arguments that are tables may be spread over the text.
Status check_arguments(std::string_view text, const TextNode& server) {
  const NodeMember* const arguments = find_member(server, "args");
  if (arguments == nullptr) return {};
  const TextNode& value = arguments->value;
  const bool has_table = value.kind == NodeKind::kTable ||
                         std::any_of(value.items.begin(), value.items.end(),
                                     [](const TextNode& item) { return item.kind == NodeKind::kTable; });
  if (has_table) return text_error(text, arguments->key_begin, "args is not a list of arguments");
  return {};
}

// A word that a shell takes as it is, or the word in quotes.
std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string server_json(std::string_view name, const ServerEntry& entry) {
  std::string arguments;
  for (const std::string& argument : entry.arguments)
    arguments += (arguments.empty() ? "" : ",") + json_string(argument);
  return fmt::format(R"({{"name":{},"command":{},"args":[{}]}})", json_string(name),
                     json_string(entry.command), arguments);
}

}  // namespace

Result<std::vector<NamedServer>> read_servers(const HostShape& shape, std::string_view text) {
  SLUICE_TRY(const ReadText read, read_text(shape, text));
  std::vector<NamedServer> servers;
  const TextNode* const root = read.root();
  const NodeMember* const found = root == nullptr ? nullptr : find_member(*root, shape.container);
  if (found == nullptr) return servers;
  for (const NodeMember& member : found->value.members) {
    if (member.value.kind == NodeKind::kTable)
      servers.push_back({.name = member.key,
                         .entry = entry_of(shape, member.value),
                         .environment = environment_of(shape, member.value)});
  }
  return servers;
}

Result<std::string> add_server(const HostShape& shape, std::string_view text, std::string_view name,
                               const ServerEntry& entry) {
  SLUICE_TRY(const ReadText read, read_text(shape, text));
  SLUICE_CHECK(check_server(shape, text, read, name));
  const NodeMember* const found = find_server(shape, read, name);
  if (found != nullptr &&
      (found->value.kind != NodeKind::kTable || entry_of(shape, found->value).command.empty()))
    return conflict(
               fmt::format("{}: another server has the name {}", place_in_text(text, found->key_begin), name))
        .with_code("host_name_taken")
        .with_hint("Give another name with --name.");
  if (found != nullptr) SLUICE_CHECK(check_arguments(text, found->value));
  if (read.toml) return add_toml_server(shape, text, *read.toml, name, entry);
  return add_json_server(shape, text, read.root(), name, entry);
}

Result<std::string> remove_server(const HostShape& shape, std::string_view text, std::string_view name) {
  SLUICE_TRY(const ReadText read, read_text(shape, text));
  SLUICE_CHECK(check_server(shape, text, read, name));
  const NodeMember* const found = find_server(shape, read, name);
  if (found == nullptr) return std::string(text);
  if (read.toml) return remove_toml_server(shape, text, *read.toml, name);
  return remove_member(text, find_member(*read.root(), shape.container)->value, *found);
}

std::string add_command(const Host& host, std::string_view name, const ServerEntry& entry) {
  std::string line;
  std::string_view rest = host.add_command;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (!line.empty()) line += ' ';
    if (word == "NAME") {
      line += shell_word(name);
    } else if (word == "JSON") {
      line += shell_word(server_json(name, entry));
    } else if (word == "COMMAND") {
      line += shell_word(entry.command);
      for (const std::string& argument : entry.arguments) line += ' ' + shell_word(argument);
    } else {
      line += word;
    }
  }
  return line;
}

}  // namespace sluice::hosts
