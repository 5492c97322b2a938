// Any text as a configuration file: it is a configuration, or an error that says where and what.
#include <string>

#include "sluice/config/config_file.h"

#include "property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "SET") return "value";
    return std::nullopt;
  };
  const sluice::Result<sluice::config::Config> config =
      sluice::config::config_with_text({"fuzz.yaml"}, std::string(text_of(data, size)), environment);
  if (config) return 0;
  require(!config.error().message.empty(), "a refusal says what is wrong");
  require(config.error().kind != sluice::ErrorKind::kInternal, "a file is nobody's bug");
  require(config.error().message.find('\0') == std::string::npos, "it can be shown");
  return 0;
}
