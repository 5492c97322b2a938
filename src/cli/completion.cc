#include <string_view>

#include <fmt/format.h>

#include "command_model.h"

namespace sluice::cli {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string command_names(const ProgramModel& program) {
  std::vector<std::string> names;
  for (const CommandModel& command : program.commands) names.push_back(command.name);
  return joined(names, " ");
}

// In single quotes, for a shell. Of bash and zsh; fish escapes quotes with a backslash.
std::string quoted(std::string_view text, std::string_view quote_inside) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string(quote_inside) : std::string(1, c);
  return made + "'";
}

// Options that take a value: after them neither commands nor options follow.
std::string bash_value_cases(const CommandModel& command) {
  std::string text;
  for (const OptionModel& option : command.options) {
    if (option.is_positional() || option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back(fmt::format("'{} {}'", command.name, name));
    const std::string choices = option.choices.empty()
                                    ? "return"
                                    : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\")); return",
                                                  joined(option.choices, " "));
    text += fmt::format("    {}) {} ;;\n", joined(patterns, "|"), choices);
  }
  return text;
}

std::string bash_words(const CommandModel& command) {
  std::vector<std::string> words;
  for (const OptionModel& option : command.options) {
    for (const std::string& name : option.names) words.push_back(name);
  }
  return joined(words, " ");
}

std::string positional_choices(const CommandModel& command) {
  for (const OptionModel& option : command.options) {
    if (option.is_positional() && !option.choices.empty()) return joined(option.choices, " ");
  }
  return "";
}

std::string bash_script(const ProgramModel& program) {
  std::string values;
  std::string options;
  for (const CommandModel& command : program.commands) {
    values += bash_value_cases(command);
    options += fmt::format("    {}) options='{}' choices='{}' ;;\n", command.name, bash_words(command),
                           positional_choices(command));
  }
  return fmt::format(R"(# Completion of sluice for bash.
_sluice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options='' choices=''
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case "$command $previous" in
{}  esac
  case $command in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  fi
}}
complete -o default -F _sluice sluice
)",
                     command_names(program), values, options);
}

// Brackets and colons end a description.
std::string zsh_text(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string zsh_option(const OptionModel& option) {
  const std::string values = option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
  if (option.is_positional())
    return quoted(fmt::format("{}:{}:{}", option.is_repeatable ? "*" : "", zsh_text(option.value), values),
                  R"('\'')");
  const std::string argument =
      option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), values);
  std::vector<std::string> made;
  for (const std::string& name : option.names)
    made.push_back(quoted(fmt::format("{}{}[{}]{}", option.is_repeatable ? "*" : "", name,
                                      zsh_text(option.description), argument),
                          R"('\'')"));
  return joined(made, " ");
}

std::string zsh_script(const ProgramModel& program) {
  std::string names;
  std::string cases;
  for (const CommandModel& command : program.commands) {
    names += "    " + quoted(command.name + ":" + zsh_text(command.description), R"('\'')") + "\n";
    cases += fmt::format("    {}) _arguments", command.name);
    for (const OptionModel& option : command.options) cases += " \\\n      " + zsh_option(option);
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef sluice
# Completion of sluice for zsh.
_sluice() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_sluice "$@"
)",
                     names, cases);
}

std::string fish_script(const ProgramModel& program) {
  std::string text = "# Completion of sluice for fish.\n";
  for (const CommandModel& command : program.commands)
    text += fmt::format("complete -c sluice -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.description, "\\'"));
  for (const CommandModel& command : program.commands) {
    for (const OptionModel& option : command.options) {
      std::string line = fmt::format("complete -c sluice -n '__fish_seen_subcommand_from {}'", command.name);
      if (option.is_positional()) {
        if (option.choices.empty()) continue;
        line += " -f -a " + quoted(joined(option.choices, " "), "\\'");
      }
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.is_positional() && !option.value.empty()) line += " -r";
      if (!option.is_positional() && !option.choices.empty())
        line += " -f -a " + quoted(joined(option.choices, " "), "\\'");
      text += line + " -d " + quoted(option.description, "\\'") + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const ProgramModel& program, const std::string& shell) {
  if (shell == "zsh") return zsh_script(program);
  return shell == "fish" ? fish_script(program) : bash_script(program);
}

}  // namespace sluice::cli
