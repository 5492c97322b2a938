#include <string_view>

#include <fmt/format.h>

#include "command_model.h"

namespace sluice::cli {

namespace {

// Text of a page: a hyphen is a minus, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const bool begins_line = made.empty() || made.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) made += "\\&";
    if (c == '-') {
      made += "\\-";
    } else if (c == '\\') {
      made += "\\e";
    } else {
      made += c;
    }
  }
  return made;
}

std::string synopsis(const CommandModel& command) {
  std::string line = "\\fBsluice " + roff(command.name) + "\\fR";
  bool has_options = false;
  std::string positionals;
  for (const OptionModel& option : command.options) {
    if (!option.is_positional()) {
      has_options = true;
      continue;
    }
    // A value that says its own form is taken as it is.
    const bool has_form = option.value.find(' ') != std::string::npos;
    const std::string value = "\\fI" + roff(option.value) + "\\fR";
    positionals += option.is_required || has_form ? " " + value : " [" + value + "]";
    if (option.is_repeatable && !has_form) positionals += "...";
  }
  return line + (has_options ? " [\\fIOPTION\\fR]..." : "") + positionals;
}

std::string option_text(const OptionModel& option) {
  std::string head;
  for (const std::string& name : option.names)
    head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty()) head += (head.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
  std::string text = ".TP\n" + head + "\n" + roff(option.description) + ".\n";
  if (!option.choices.empty()) {
    text += "One of";
    for (std::size_t i = 0; i < option.choices.size(); ++i)
      text += (i == 0 ? " \\fB" : ", \\fB") + roff(option.choices[i]) + "\\fR";
    text += ".\n";
  }
  return text;
}

constexpr std::string_view kEnd = R"(.SH FILES
.TP
.I sluice.yaml
The configuration. Every key is described in docs/CONFIGURATION.md.
.SH ENVIRONMENT
.TP
.B LOG_LEVEL
What is logged to standard error: debug, info, warning, error or off.
.TP
.BR SSL_CERT_FILE ", " SSL_CERT_DIR
The certificates that servers are checked with.
.SH EXIT STATUS
.TP
.B 0
Everything was done.
.TP
.B 1
Something failed.
.TP
.B 2
The command line was wrong.
)";

}  // namespace

std::string manual_page(const ProgramModel& program, const std::string& version) {
  std::string text = fmt::format(
      ".TH SLUICE 1 \"\" \"sluice {}\" \"User Commands\"\n.SH NAME\nsluice \\- serves data to AI agents over "
      "the "
      "Model Context Protocol\n.SH SYNOPSIS\n.nf\n",
      roff(version));
  for (const CommandModel& command : program.commands) text += synopsis(command) + "\n";
  text += ".fi\n.SH DESCRIPTION\n" + roff(program.description) + "\n.SH COMMANDS\n";
  for (const CommandModel& command : program.commands) {
    text += ".SS sluice " + roff(command.name) + "\n" + roff(command.description) + ".\n";
    for (const OptionModel& option : command.options) text += option_text(option);
  }
  return text + std::string(kEnd);
}

}  // namespace sluice::cli
