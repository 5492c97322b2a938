#pragma once

#include <string>
#include <string_view>

#include "sluice/hosts/server_entry.h"

#include "toml_text.h"

// Changes to the text of a TOML file that keep every other byte.
namespace sluice::hosts {

// `toml` is what read_toml_text made of `text`.
std::string add_toml_server(const HostShape& shape, std::string_view text, const TomlText& toml,
                            std::string_view name, const ServerEntry& entry);

std::string remove_toml_server(const HostShape& shape, std::string_view text, const TomlText& toml,
                               std::string_view name);

}  // namespace sluice::hosts
