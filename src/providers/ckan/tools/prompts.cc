#include "tools/prompts.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/value.h"

namespace sluice::ckan {

namespace {

struct PromptTemplate {
  std::string_view name;
  std::string_view title;
  std::string_view argument;  // Beside server_url and rows; empty: none.
  std::string_view argument_is;
  bool has_rows;
  std::string_view text;  // {server}, {value} and {rows} are filled in, as JSON texts.
};

// By name.
constexpr std::array<PromptTemplate, 6> kPrompts = {{
    {"ckan-analyze-dataset", "Look at one dataset closely", "id", "Id or name of the dataset", false,
     "Look closely at the dataset {value} of the portal {server}.\n"
     "1. ckan_package_show for its metadata, ckan_list_resources for its files.\n"
     "2. Of resources in the DataStore, ckan_datastore_search with limit 0 gives the columns, with limit 5 "
     "examples.\n"
     "3. Of other tables, ckan_query_file gives columns and rows.\n"
     "Say what it holds, how current and complete it is, its licence, and how it can be queried."},
    {"ckan-recent-datasets", "What is new", "", "", true,
     "List the datasets of the portal {server} that were changed last: ckan_package_search with q *:*, sort "
     "\"metadata_modified desc\" and rows {rows}. Give title, organization and date of each."},
    {"ckan-search-by-format", "Search by format", "format", "e.g. CSV", true,
     "Find datasets of the portal {server} with resources of the format {value}: ckan_package_search with fq "
     "res_format:{value} and rows {rows}; where that finds nothing, try the format in upper and lower case. "
     "Give title, "
     "organization and the matching resources."},
    {"ckan-search-by-organization", "Search by organization", "organization", "A part of its name", true,
     "Find datasets of an organization of the portal {server}. ckan_organization_search with pattern {value} "
     "gives its "
     "name; then ckan_package_search with fq organization:NAME and rows {rows}. Give title, date and "
     "formats."},
    {"ckan-search-by-theme", "Search by theme", "theme", "What it is about", true,
     "Find datasets of the portal {server} about {value}. ckan_group_search with pattern {value} finds a "
     "group; if there is "
     "one, ckan_package_search with fq groups:NAME and rows {rows}, otherwise ckan_find_relevant_datasets "
     "with query "
     "{value} and limit {rows}. Give title, organization and why it fits."},
    {"ckan-search-hvd", "High-value datasets", "", "", true,
     "Find the high-value datasets of the portal {server}: ckan_package_search with fq hvd_category:[* TO *] "
     "and rows {rows}; "
     "where that finds nothing, with q \"high value dataset\". Give title, organization and category."},
}};

constexpr std::string_view kUsualRows = "10";

std::string replaced(std::string text, std::string_view mark, const std::string& value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
  return text;
}

// What a caller gives stands in quotes, on one line.
std::string quoted_value(const std::string& value) { return json::to_text(json::Value(excerpt(value, 300))); }

Error missing(std::string_view name) {
  return invalid_input(fmt::format("missing argument: {}", name)).with_code("invalid_arguments");
}

}  // namespace

std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) {
  std::vector<protocol::Prompt> out;
  for (const PromptTemplate& words : kPrompts) {
    if (words.name <= query.after || out.size() >= query.limit) continue;
    protocol::Prompt prompt;
    prompt.name = std::string(words.name);
    prompt.title = std::string(words.title);
    prompt.description = std::string(words.title) + ", on a CKAN portal";
    const auto add = [&](std::string_view name, std::string_view description, bool required) {
      protocol::PromptArgument argument;
      argument.name = std::string(name);
      argument.description = std::string(description);
      argument.required = required;
      prompt.arguments.push_back(std::move(argument));
    };
    add("server_url", "URL or host of the portal", true);
    if (!words.argument.empty()) add(words.argument, words.argument_is, true);
    if (words.has_rows) add("rows", "How many; default 10", false);
    out.push_back(std::move(prompt));
  }
  return out;
}

Result<protocol::PromptResult> get_prompt(const std::string& name,
                                          const protocol::PromptArguments& arguments) {
  for (const PromptTemplate& words : kPrompts) {
    if (words.name != name) continue;
    const auto server = arguments.find("server_url");
    if (server == arguments.end()) return missing("server_url");
    std::string value;
    if (!words.argument.empty()) {
      const auto given = arguments.find(words.argument);
      if (given == arguments.end()) return missing(words.argument);
      value = given->second;
    }
    const auto rows = arguments.find("rows");
    const std::string count = rows == arguments.end() ? std::string(kUsualRows) : rows->second;
    const bool is_count =
        !count.empty() && count.size() < 5 && count.find_first_not_of("0123456789") == std::string::npos;
    if (!is_count) return invalid_input("rows: must be 0 to 9999").with_code("invalid_arguments");
    std::string text = replaced(std::string(words.text), "{rows}", count);
    text = replaced(std::move(text), "{server}", quoted_value(server->second));
    text = replaced(std::move(text), "{value}", quoted_value(value));
    protocol::PromptResult result;
    result.description = std::string(words.title);
    result.messages.push_back(
        {.role = protocol::Role::kUser, .content = protocol::text_content(std::move(text))});
    return result;
  }
  return invalid_input(fmt::format("Unknown prompt: {}", excerpt(name))).with_code("unknown_prompt");
}

}  // namespace sluice::ckan
