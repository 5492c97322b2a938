#include "json_edit.h"

#include <utility>

#include <fmt/format.h>

namespace sluice::hosts {

namespace {

// A member that is to be written: its value is text, or an object.
struct NewMember {
  std::string key;
  std::string value;
  std::vector<NewMember> members;
};

// How the text around is laid out. Without a line ending everything goes on one line.
struct JsonLayout {
  std::string unit;
  std::string_view line_ending;
};

std::string json_array(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + json_string(word);
  return "[" + text + "]";
}

std::vector<std::string> command_words(const ServerEntry& entry) {
  std::vector<std::string> words = {entry.command};
  words.insert(words.end(), entry.arguments.begin(), entry.arguments.end());
  return words;
}

// What says how the server is started.
std::vector<NewMember> command_members(const HostShape& shape, const ServerEntry& entry) {
  if (shape.has_command_array)
    return {{.key = "command", .value = json_array(command_words(entry)), .members = {}}};
  return {{.key = "command", .value = json_string(entry.command), .members = {}},
          {.key = "args", .value = json_array(entry.arguments), .members = {}}};
}

NewMember entry_member(const HostShape& shape, std::string_view name, const ServerEntry& entry) {
  NewMember made{.key = std::string(name), .value = {}, .members = {}};
  const auto add = [&made](const HostShape::Member& member) {
    made.members.push_back(
        {.key = std::string(member.key), .value = std::string(member.value), .members = {}});
  };
  for (const HostShape::Member& member : shape.before) add(member);
  for (NewMember& member : command_members(shape, entry)) made.members.push_back(std::move(member));
  for (const HostShape::Member& member : shape.after) add(member);
  return made;
}

std::string member_text(const NewMember& member, const std::string& indent, const JsonLayout& layout) {
  std::string value = member.value;
  if (!member.members.empty()) {
    const bool is_one_line = layout.line_ending.empty();
    const std::string separator = is_one_line ? "" : std::string(layout.line_ending) + indent + layout.unit;
    std::string inner;
    for (const NewMember& part : member.members) {
      if (!inner.empty()) inner += is_one_line ? ", " : ",";
      inner += separator + member_text(part, indent + layout.unit, layout);
    }
    value = "{" + inner + (is_one_line ? "" : std::string(layout.line_ending) + indent) + "}";
  }
  return json_string(member.key) + ": " + value;
}

bool has_newline(std::string_view text, std::size_t begin, std::size_t end) {
  return text.substr(begin, end - begin).find('\n') != std::string_view::npos;
}

std::string indentation_unit(std::string_view text, const TextNode& root) {
  if (!root.members.empty() && has_newline(text, root.span.begin, root.members.front().key_begin)) {
    const std::string_view outer = indentation(text, root.span.begin);
    std::string_view inner = indentation(text, root.members.front().key_begin);
    if (inner.size() > outer.size() && inner.starts_with(outer)) {
      inner.remove_prefix(outer.size());
      return std::string(inner);
    }
  }
  return "  ";
}

// Into an object that has no members.
std::vector<TextEdit> fill_object(std::string_view text, const TextNode& table, const NewMember& member,
                                  const JsonLayout& layout) {
  const std::string outer(indentation(text, table.span.begin));
  const std::string inner = outer + layout.unit;
  const std::string ending(layout.line_ending);
  return {{.span = {.begin = table.last_token_end, .end = table.span.end - 1},
           .replacement = ending + inner + member_text(member, inner, layout) + ending + outer}};
}

// After the last member of an object, and behind the comments that follow it.
std::vector<TextEdit> append_member(std::string_view text, const TextNode& table, const NewMember& member,
                                    const JsonLayout& layout) {
  const NodeMember& last = table.members.back();
  const bool has_own_line = has_newline(text, last.previous_token_end, last.key_begin);
  const bool ends_with_newline = has_newline(text, table.last_token_end, table.span.end - 1);
  std::string made;
  if (has_own_line || ends_with_newline) {
    const std::string indent(indentation(text, last.key_begin));
    made = std::string(layout.line_ending) + indent + member_text(member, indent, layout);
  } else {
    made = " " + member_text(member, "", {.unit = "", .line_ending = ""});
  }
  std::vector<TextEdit> edits;
  if (table.has_trailing_comma) {
    made += ",";
  } else {
    edits.push_back({.span = {last.value.span.end, last.value.span.end}, .replacement = ","});
  }
  edits.push_back({.span = {table.last_token_end, table.last_token_end}, .replacement = std::move(made)});
  return edits;
}

std::vector<TextEdit> insert_member(std::string_view text, const TextNode& table, const NewMember& member,
                                    const JsonLayout& layout) {
  return table.members.empty() ? fill_object(text, table, member, layout)
                               : append_member(text, table, member, layout);
}

std::vector<std::string> strings_of(const TextNode& array) {
  std::vector<std::string> strings;
  for (const TextNode& item : array.items) strings.push_back(item.string);
  return strings;
}

bool is_command(const HostShape& shape, const TextNode& value, const ServerEntry& wanted) {
  if (!shape.has_command_array) return value.kind == NodeKind::kString && value.string == wanted.command;
  return value.kind == NodeKind::kArray && strings_of(value) == command_words(wanted);
}

}  // namespace

JsonDialect dialect_of(const HostShape& shape) {
  return shape.format == HostFormat::kJson ? JsonDialect::kStrict : JsonDialect::kWithComments;
}

std::string add_json_server(const HostShape& shape, std::string_view text, const TextNode* root,
                            std::string_view name, const ServerEntry& entry) {
  JsonLayout layout = {.unit = "  ", .line_ending = line_ending(text)};
  const NewMember server = entry_member(shape, name, entry);
  NewMember container{.key = std::string(shape.container), .value = {}, .members = {server}};
  if (root == nullptr) {
    const std::string ending(layout.line_ending);
    const std::string mark(text.starts_with(kByteOrderMark) ? kByteOrderMark : std::string_view());
    return mark + "{" + ending + layout.unit + member_text(container, layout.unit, layout) + ending + "}" +
           ending;
  }
  layout.unit = indentation_unit(text, *root);
  const NodeMember* const servers = find_member(*root, shape.container);
  if (servers == nullptr) return apply_edits(text, insert_member(text, *root, container, layout));
  const NodeMember* const found = find_member(servers->value, name);
  if (found == nullptr) return apply_edits(text, insert_member(text, servers->value, server, layout));
  return apply_edits(text, change_json_entry(shape, text, found->value, entry));
}

std::vector<TextEdit> change_json_entry(const HostShape& shape, std::string_view text, const TextNode& table,
                                        const ServerEntry& wanted) {
  std::vector<TextEdit> edits;
  const NodeMember& command = *find_member(table, "command");
  const std::vector<NewMember> members = command_members(shape, wanted);
  if (!is_command(shape, command.value, wanted))
    edits.push_back({.span = command.value.span, .replacement = members.front().value});
  if (shape.has_command_array) return edits;
  const NodeMember* const arguments = find_member(table, "args");
  if (arguments != nullptr) {
    const TextNode& value = arguments->value;
    if (value.kind != NodeKind::kArray || strings_of(value) != wanted.arguments)
      edits.push_back({.span = value.span, .replacement = members.back().value});
    return edits;
  }
  const std::size_t end = command.value.span.end;
  const bool has_own_line = has_newline(text, command.previous_token_end, command.key_begin);
  const std::string separator =
      has_own_line ? std::string(line_ending(text)) + std::string(indentation(text, command.key_begin)) : " ";
  edits.push_back(
      {.span = {end, end},
       .replacement = "," + separator + json_string(members.back().key) + ": " + members.back().value});
  return edits;
}

std::string remove_member(std::string_view text, const TextNode& table, const NodeMember& member) {
  const std::size_t index = static_cast<std::size_t>(&member - table.members.data());
  const bool is_last = index + 1 == table.members.size();
  const std::size_t end = member.comma_end != 0 ? member.comma_end : member.value.span.end;
  std::vector<TextEdit> edits = {{.span = {member.previous_token_end, end}, .replacement = ""}};
  if (is_last && index > 0 && member.comma_end == 0) {
    // The comma before it. A comment may stand between the two.
    const std::size_t comma = table.members[index - 1].comma_end;
    edits.push_back({.span = {comma - 1, comma}, .replacement = ""});
    if (comma == member.previous_token_end) edits = {{.span = {comma - 1, end}, .replacement = ""}};
  }
  if (table.members.size() == 1 && member.previous_token_end == table.span.begin + 1 &&
      text.substr(end, table.span.end - 1 - end).find_first_not_of(" \t\r\n") == std::string_view::npos)
    edits = {{.span = {table.span.begin + 1, table.span.end - 1}, .replacement = ""}};
  return apply_edits(text, std::move(edits));
}

}  // namespace sluice::hosts
