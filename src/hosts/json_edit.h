#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/hosts/server_entry.h"

#include "json_text.h"
#include "text_node.h"

// Changes to the text of a JSON file that keep every other byte.
namespace sluice::hosts {

JsonDialect dialect_of(const HostShape& shape);

// `root` is what read_json_text made of `text`, or nothing of a text without anything but spaces.
std::string add_json_server(const HostShape& shape, std::string_view text, const TextNode* root,
                            std::string_view name, const ServerEntry& entry);

std::string remove_member(std::string_view text, const TextNode& table, const NodeMember& member);

// Changes the values of an entry that is there to those wanted.
std::vector<TextEdit> change_json_entry(const HostShape& shape, std::string_view text, const TextNode& table,
                                        const ServerEntry& wanted);

}  // namespace sluice::hosts
