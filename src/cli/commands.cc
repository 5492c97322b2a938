#include "commands.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "sluice/base/log.h"
#include "sluice/base/version.h"
#include "sluice/commands/check.h"
#include "sluice/commands/pins.h"
#include "sluice/commands/query.h"
#include "sluice/commands/remote.h"
#include "sluice/commands/serve.h"
#include "sluice/commands/version.h"
#include "sluice/config/tools_spec.h"
#include "sluice/fetch/certificates.h"
#include "sluice/wiring/source_check.h"

#include "command_model.h"
#include "doctor_command.h"
#include "installed_program.h"
#include "report.h"
#include "setup_command.h"

namespace sluice::cli {
namespace {

int report(const std::vector<wiring::CheckLine>& lines) {
  bool ok = true;
  for (const wiring::CheckLine& line : lines) {
    const char* const state = !line.ok ? "FAILED" : line.is_warning ? "WARN" : "ok";
    std::printf("%-6s %s: %s\n", state, line.subject.c_str(), line.finding.c_str());
    ok = ok && line.ok;
  }
  return ok ? 0 : kFailed;
}

// libpq lets these decide about every connection, whatever a url says. Databases are configured, not
// inherited.
void forget_database_environment() {
  for (const char* name : {"PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGTZ", "PGDATESTYLE", "PGGEQO"})
    ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread has begun.
}

void set_log_level(const std::string& usual) {
  const std::string level = environment("LOG_LEVEL").value_or(usual);
  if (level == "debug") log::set_level(log::Level::kDebug);
  if (level == "warning") log::set_level(log::Level::kWarning);
  if (level == "error") log::set_level(log::Level::kError);
  if (level == "off") log::set_level(log::Level::kOff);
}

// What stands behind "--" is a command of its own, with options that are not ours.
std::vector<std::string> take_command(int& argc, char** argv) {
  std::vector<std::string> command;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    command.assign(argv + i + 1, argv + argc);
    argc = i;
  }
  return command;
}

void add_remote_options(CLI::App& command, commands::RemoteServer& server) {
  command.add_option("--header", server.headers, "\"Name: value\" to send to the URL; may be repeated");
  command.add_option("--env", server.variables, "A variable that a command is given too; may be repeated");
}

// By which tokens are told apart, and where they are.
void add_identity_options(CLI::App& command, commands::RemoteAuthorization& given) {
  command.add_option("--client-id", given.client_id, "A client that the authorization server knows");
  command.add_option("--client-secret-env", given.secret_variable, "The variable that holds its secret");
  command.add_option("--private-key-env", given.key_variable, "The variable that holds its key, as PEM");
  command.add_option("--issuer", given.issuer, "The only authorization server that is used");
  command.add_option("--grant", given.grant, "authorization_code (a person agrees) or client_credentials");
  command.add_option("--account", given.account, "Keeps tokens for the same URL apart");
  command.add_option("--token-store", given.tokens, "The folder of tokens");
  command.add_flag("--allow-private", given.allow_private,
                   "Authorization servers may be on loopback and private networks");
}

// For a URL that wants to know who is calling.
void add_authorization_options(CLI::App& command, commands::RemoteServer& server) {
  commands::RemoteAuthorization& given = server.authorization;
  add_identity_options(command, given);
  command.add_option("--scope", given.scopes, "A scope to ask for; may be repeated");
  command.add_option("--client-metadata-url", given.client_document_url, "A client ID metadata document");
  command.add_option("--redirect-port", given.redirect_port,
                     "The port of 127.0.0.1 that a browser comes back to; any, unless it is named");
  server.show = [](const std::string& url) {
    std::fprintf(stderr, "sluice: the server wants you to agree. Open this page in a browser:\n\n%s\n\n",
                 url.c_str());
  };
}

int print_call(commands::CallRequest call, std::vector<std::string> words) {
  if (call.server.command.empty() && !words.empty()) {
    call.server.place = words.front();
    words.erase(words.begin());
  }
  if (words.empty() || words.size() > 2)
    return fail(
        invalid_input("usage: sluice call TARGET METHOD [JSON], or sluice call METHOD [JSON] -- COMMAND")
            .with_code("usage"));
  call.method = words[0];
  if (words.size() == 2) call.params = words[1];
  const Result<std::string> result = commands::call(call, environment);
  if (!result) return fail(result.error());
  std::printf("%s\n", result->c_str());
  return 0;
}

// login, logout and pins, of which one is given: what an operator allows upstreams.
struct Access {
  commands::LogoutRequest request;
  commands::PinsRequest pinned;
  const CLI::App* login = nullptr;
  const CLI::App* logout = nullptr;
  const CLI::App* pins = nullptr;
};

void add_access(CLI::App& program, Access& access) {
  commands::RemoteServer& server = access.request.server;
  CLI::App* login = program.add_subcommand("login", "Agree that a server is used, and keep its tokens");
  login->add_option("URL|CONFIG", server.place, "A server's URL, or sluice.yaml with")->required();
  login->add_option("UPSTREAM", access.request.upstream, "the name of one of its upstreams");
  add_authorization_options(*login, server);
  CLI::App* logout = program.add_subcommand(
      "logout", "Remove the tokens of a server, and revoke them where that is possible");
  logout->add_option("URL|CONFIG", server.place, "A server's URL, or sluice.yaml with");
  logout->add_option("UPSTREAM", access.request.upstream, "the name of one of its upstreams");
  logout->add_flag("--all", access.request.all,
                   "Of every account and client; everything, where no server is named");
  add_identity_options(*logout, server.authorization);
  CLI::App* pins =
      program.add_subcommand("pins", "Show which pinned tools of upstreams have changed, or accept a change");
  pins->add_option("CONFIG", access.pinned.config, "sluice.yaml")->required();
  pins->add_option("UPSTREAM", access.pinned.upstream, "One of its upstreams; all, if none is named");
  pins->add_option("--accept", access.pinned.accept, "A tool of it, which is pinned as it is now");
  access.pins = pins;
  access.login = login;
  access.logout = logout;
}

int print_lines(const Result<std::vector<std::string>>& lines) {
  if (!lines) return fail(lines.error());
  for (const std::string& line : *lines) std::printf("%s\n", line.c_str());
  return 0;
}

// Nothing if none of them was given.
std::optional<int> run_access(const Access& access) {
  if (access.login->parsed()) {
    const Result<std::string> done =
        commands::login(access.request.server, access.request.upstream, environment);
    if (!done) return fail(done.error());
    std::printf("%s\n", done->c_str());
    return 0;
  }
  if (access.pins->parsed()) return print_lines(commands::review_pins(access.pinned, environment));
  if (!access.logout->parsed()) return std::nullopt;
  return print_lines(commands::logout(access.request, environment));
}

const CLI::App* add_check(CLI::App& program, commands::CheckRequest& checked) {
  CLI::App* check =
      program.add_subcommand("check", "Say what of a configuration works, and what does not and why");
  check->add_option("SOURCE", checked.sources, "A folder, a data file, or sluice.yaml");
  CLI::Option* cards = check->add_flag("--cards", checked.cards, "Compare schema cards with the data");
  check->add_flag("--write", checked.write_cards, "Write the cards that are missing or differ")->needs(cards);
  return check;
}

int print_text(const std::string& text) {
  std::printf("%s", text.c_str());
  return 0;
}

int run_doctor(const commands::CheckRequest& request) {
  const Result<hosts::Machine> machine = this_machine();
  if (!machine) return fail(machine.error());
  std::vector<wiring::CheckLine> lines = commands::check(request, environment);
  for (wiring::CheckLine& line : check_hosts(*machine)) lines.push_back(std::move(line));
  return report(lines);
}

struct QueryCommand {
  commands::QueryRequest request;
  std::int64_t timeout_seconds = commands::kQueryTimeMax.count();
  const CLI::App* command = nullptr;
  bool csv = false;
  bool json = false;
  bool explain = false;
};

void add_query(CLI::App& program, QueryCommand& query) {
  commands::QueryRequest& request = query.request;
  CLI::App* command =
      program.add_subcommand("query", "Print what one SELECT over the tables of a source gives");
  command->add_option("TARGET", request.target, "A folder, a data file, or sluice.yaml")->required();
  command->add_option("SQL", request.sql, "The SELECT; every dataset is a table")->required();
  CLI::Option* csv = command->add_flag("--csv", query.csv, "Print all rows as CSV");
  CLI::Option* json = command->add_flag("--json", query.json, "Print all rows as a JSON array of objects");
  CLI::Option* parquet = command->add_option("--parquet", request.file, "Write all rows to a Parquet file");
  CLI::Option* rows = command->add_option("--rows", request.rows_max, "Rows of the table; 1000 by default");
  command->add_flag("--explain", query.explain, "Print what would be read, and run nothing")
      ->excludes(csv)
      ->excludes(json)
      ->excludes(parquet)
      ->excludes(rows);
  command->add_flag("--force", request.overwrites, "Replace the Parquet file if it exists")->needs(parquet);
  command
      ->add_option("--timeout", query.timeout_seconds,
                   "Seconds after which it is cancelled; a day by default")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{commands::kQueryTimeMax.count()}));
  rows->check(CLI::Range(std::uint64_t{1}, commands::kTableRowsMax));
  json->excludes(csv);
  parquet->excludes(csv)->excludes(json);
  rows->excludes(csv)->excludes(json)->excludes(parquet);
  query.command = command;
}

int run_query(QueryCommand& query) {
  commands::QueryRequest& request = query.request;
  request.time_max = std::chrono::seconds(query.timeout_seconds);
  if (query.csv) request.output = commands::QueryOutput::kCsv;
  if (query.explain) request.output = commands::QueryOutput::kExplanation;
  if (query.json) request.output = commands::QueryOutput::kJson;
  if (!request.file.empty()) request.output = commands::QueryOutput::kParquet;
  const Result<int> status = commands::query(request, environment);
  return status ? *status : fail(status.error());
}

// What is printed about the program itself.
struct Pages {
  std::string shell;
  bool version_json = false;
  const CLI::App* version = nullptr;
  const CLI::App* completion = nullptr;
  const CLI::App* man = nullptr;
  const CLI::App* help = nullptr;
};

void add_pages(CLI::App& program, Pages& pages) {
  CLI::App* version = program.add_subcommand("version", "Print the version");
  version->add_flag("--json", pages.version_json, "Print all about this build, as JSON");
  CLI::App* completion =
      program.add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->add_option("SHELL", pages.shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  pages.man = program.add_subcommand("man", "Print the manual page");
  pages.help = program.add_subcommand("help", "Print this");
  pages.version = version;
  pages.completion = completion;
}

// Nothing if none of them was given.
std::optional<int> run_pages(const CLI::App& program, const Pages& pages, const std::string& help_text) {
  if (pages.version->parsed())
    return print_text(
        (pages.version_json ? commands::describe_version() : "sluice " + std::string(product_version())) +
        "\n");
  if (pages.help->parsed()) return print_text(help_text);
  if (pages.man->parsed()) return print_text(manual_page(model_of(program), std::string(product_version())));
  if (pages.completion->parsed()) return print_text(completion_script(model_of(program), pages.shell));
  return std::nullopt;
}

struct ServeCommand {
  commands::ServeRequest request;
  std::string http;
  std::string profile;
};

void add_serve(CLI::App& program, ServeCommand& serve) {
  CLI::App* command = program.add_subcommand("serve", "Serve over stdio, or over HTTP with --http");
  command->add_option("SOURCE", serve.request.sources, "A folder, a data file, or sluice.yaml");
  command->add_option("--http", serve.http, "Listen on [HOST:]PORT instead of stdio");
  command->add_flag("--stdio", serve.request.stdio, "Serve stdio beside HTTP");
  command
      ->add_option("--profile", serve.profile,
                   "The tools over datasets: lean (three), full (fourteen) or all")
      ->check(CLI::IsMember({"lean", "full", "all"}));
}

// The same server, for a person: on a free port of this machine, with all tools.
struct UiCommand {
  commands::ServeRequest request;
  const CLI::App* command = nullptr;
  bool prints_url = false;
};

void add_ui(CLI::App& program, UiCommand& ui) {
  CLI::App* command =
      program.add_subcommand("ui", "Serve on a free port of this machine, and open the console");
  command->add_option("SOURCE", ui.request.sources, "A folder, a data file, or sluice.yaml");
  command->add_flag("--print-url", ui.prints_url,
                    "Print the link, which works once, instead of opening a browser");
  ui.command = command;
}

int run_ui(UiCommand& ui) {
  ui.request.http = host::Address{};
  ui.request.profile = datasets::ToolProfile::kAll;
  ui.request.console_link = ui.prints_url ? commands::ConsoleLink::kPrint : commands::ConsoleLink::kOpen;
  const Status served = commands::serve(ui.request, environment);
  return served ? 0 : fail(served.error());
}

int run_serve(ServeCommand& serve) {
  if (!serve.http.empty()) {
    Result<host::Address> address = host::parse_address(serve.http);
    if (!address) return fail(address.error());
    serve.request.http = *std::move(address);
  }
  serve.request.profile = config::parse_profile(serve.profile);
  const Status served = commands::serve(serve.request, environment);
  return served ? 0 : fail(served.error());
}

// call and connect, which use another server.
struct RemoteCommands {
  commands::CallRequest called;
  std::vector<std::string> words;
  commands::RemoteServer remote;
  const CLI::App* call = nullptr;
  const CLI::App* connect = nullptr;
};

void add_remote_commands(CLI::App& program, RemoteCommands& given) {
  CLI::App* call = program.add_subcommand("call", "Make one request to an MCP server and print its result");
  call->add_option(
      "TARGET METHOD [JSON]", given.words,
      "A URL or a folder, a method and its parameters; or only these, and -- COMMAND [ARGUMENT]...");
  add_remote_options(*call, given.called.server);
  add_authorization_options(*call, given.called.server);
  CLI::App* connect =
      program.add_subcommand("connect", "Offer a remote MCP server on stdio, whatever era it speaks");
  connect->add_option("URL", given.remote.place, "The server's; or -- COMMAND [ARGUMENT]...");
  add_remote_options(*connect, given.remote);
  add_authorization_options(*connect, given.remote);
  given.call = call;
  given.connect = connect;
}

// Nothing if neither was given.
std::optional<int> run_remote_commands(RemoteCommands& given) {
  if (given.call->parsed()) return print_call(std::move(given.called), std::move(given.words));
  if (!given.connect->parsed()) return std::nullopt;
  const Status ended = commands::connect(given.remote, environment);
  return ended ? 0 : fail(ended.error());
}

}  // namespace

int run(int argc, char** argv) {
  const std::vector<std::string> behind = take_command(argc, argv);
  CLI::App program("Sluice serves data to AI agents over the Model Context Protocol, never more than fits.",
                   "sluice");
  program.require_subcommand(1);
  ServeCommand serve;
  add_serve(program, serve);
  UiCommand ui;
  add_ui(program, ui);
  QueryCommand query;
  add_query(program, query);
  commands::CheckRequest checked;
  const CLI::App* check = add_check(program, checked);
  commands::CheckRequest examined;
  CLI::App* doctor =
      program.add_subcommand("doctor", "Say what check says, and which hosts know this program");
  doctor->add_option("SOURCE", examined.sources, "A folder, a data file, or sluice.yaml");
  SetupCommand setup;
  add_setup(program, setup);
  RemoteCommands remotes;
  remotes.called.server.command = behind;
  remotes.remote.command = behind;
  add_remote_commands(program, remotes);
  Access access;
  add_access(program, access);
  Pages pages;
  add_pages(program, pages);
  const std::string help_text =
      program.help();  // After parsing it would be the help of the command that was given.
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = program.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : kUsage;
  }
  set_log_level(query.command->parsed() ? "warning" : "info");
  forget_database_environment();
  fetch::set_named_certificates({.file = environment("SSL_CERT_FILE").value_or(""),
                                 .folder = environment("SSL_CERT_DIR").value_or("")});
  if (const std::optional<int> code = run_pages(program, pages, help_text)) return *code;
  if (const std::optional<int> code = run_remote_commands(remotes)) return *code;
  if (const std::optional<int> code = run_access(access)) return *code;
  if (query.command->parsed()) return run_query(query);
  if (setup.command->parsed()) return run_setup(setup, argv[0]);
  if (check->parsed()) return report(commands::check(checked, environment));
  if (doctor->parsed()) return run_doctor(examined);
  if (ui.command->parsed()) return run_ui(ui);
  return run_serve(serve);
}

}  // namespace sluice::cli
