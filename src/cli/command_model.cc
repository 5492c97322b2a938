#include "command_model.h"

#include <cctype>

#include <CLI/CLI.hpp>

namespace sluice::cli {

namespace {

// Of a type such as "TEXT:{lean,full,all}".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::string rest = type.substr(begin + 1, end - begin - 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    choices.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? std::string() : rest.substr(comma + 1);
  }
  return choices;
}

// What an option calls its value, such as HOST, or else its own name: --client-id has the value CLIENT-ID.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::string name = type.substr(0, type.find(':'));
  const bool is_general =
      name.empty() || name == "TEXT" || name == "UINT" || name == "INT" || name.starts_with('{');
  if (!is_general) return name;
  name = option.get_lnames().empty() ? "VALUE" : option.get_lnames().front();
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

OptionModel option_model(const CLI::Option& option) {
  OptionModel model;
  for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  model.description = option.get_description();
  model.is_required = option.get_required();
  model.is_repeatable = option.get_items_expected_max() > 1;
  if (option.get_type_size() == 0) return model;
  model.choices = choices_in(option.get_type_name());
  model.value = model.is_positional() ? option.get_name(true) : value_name(option);
  return model;
}

}  // namespace

ProgramModel model_of(const CLI::App& program) {
  ProgramModel model{.description = program.get_description(), .commands = {}};
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    CommandModel made{.name = command->get_name(), .description = command->get_description(), .options = {}};
    for (const CLI::Option* option : command->get_options()) made.options.push_back(option_model(*option));
    model.commands.push_back(std::move(made));
  }
  return model;
}

}  // namespace sluice::cli
