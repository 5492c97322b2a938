#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sluice::cli {

// What the command line says about itself, for completions and manual pages.
struct OptionModel {
  std::vector<std::string> names;  // "--profile"; none of a positional.
  std::string value;               // The name of its value, such as SOURCE; empty of a flag.
  std::string description;
  std::vector<std::string> choices;  // The values that are possible; empty: any.
  bool is_required = false;
  bool is_repeatable = false;

  bool is_positional() const { return names.empty(); }
};

struct CommandModel {
  std::string name;
  std::string description;
  std::vector<OptionModel> options;
};

struct ProgramModel {
  std::string description;
  std::vector<CommandModel> commands;
};

ProgramModel model_of(const CLI::App& program);

// A script that completes commands, options and their values. `shell` is bash, zsh or fish.
std::string completion_script(const ProgramModel& program, const std::string& shell);

// The manual page sluice(1), as man reads it.
std::string manual_page(const ProgramModel& program, const std::string& version);

}  // namespace sluice::cli
