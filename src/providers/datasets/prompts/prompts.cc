#include "prompts/prompts.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "answer/formats.h"
#include "prompts/prompt_columns.h"

namespace sluice::datasets {

namespace {

using query::Collection;
using query::DatasetPtr;

struct PromptText {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string (*text)(const DatasetTools&, const DatasetPtr&);
};

// A dataset's address as an argument list would have it.
std::string address(const DatasetPtr& dataset) {
  if (!dataset) return R"("dataset": "NAME")";
  const std::vector<query::Dimension>& dimensions = dataset->collection().dimensions;
  if (dimensions.empty()) return fmt::format(R"("dataset": "{}")", excerpt(dataset->name()));
  std::string out;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::string& value = dataset->identity().dimensions[i];
    out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", dimensions[i].name,
                       dimensions[i].is_integer ? value : fmt::format("\"{}\"", excerpt(value)));
  }
  return out;
}

std::string schema_cards_overview(const DatasetTools& tools, const DatasetPtr&) {
  std::string out = "Collections of this server and what their columns mean.\n";
  const query::Inventory inventory = tools.inventory();
  for (const auto& collection : inventory.collections()) {
    out += fmt::format(
        "\n{} ({}://): {}\n", excerpt(collection->name), collection->scheme,
        collection->description.empty() ? "no description" : excerpt(collection->description, 400));
    if (!collection->dimensions.empty()) {
      out += "- addressed by:";
      for (const query::Dimension& dimension : collection->dimensions) out += " " + dimension.name;
      out += "\n";
    }
    if (!collection->unit.empty()) out += fmt::format("- amounts are in {}\n", excerpt(collection->unit));
    for (const std::string& line : role_lines(tools, inventory, *collection)) out += line + "\n";
    for (const query::RepeatedTotal& total : collection->repeated_totals) {
      out += fmt::format("- {} repeats on every row of its {} in a dataset that has {}: sum that instead\n",
                         excerpt(total.columns), excerpt(total.per),
                         excerpt(fmt::format("{}", fmt::join(total.parts, " or "))));
    }
    for (const query::Ratio& ratio : collection->ratios) {
      out += fmt::format("- {} is a ratio: over several rows divide sum({}) by sum({})\n",
                         excerpt(ratio.columns), excerpt(ratio.numerator), excerpt(ratio.denominator));
    }
  }
  return out + "\nget_schema gives the columns and types of one dataset.";
}

// How a question about several datasets names them: by one of their dimensions, or one after the other.
std::string address_of_several(const DatasetPtr& dataset) {
  if (!dataset || dataset->collection().dimensions.empty()) return R"("datasets": ["NAME", "NAME"])";
  const std::vector<query::Dimension>& dimensions = dataset->collection().dimensions;
  const std::size_t last = dimensions.size() - 1;
  const std::string& value = dataset->identity().dimensions[last];
  return fmt::format("\"{}s\": [{}]", dimensions[last].name,
                     dimensions[last].is_integer ? value : fmt::format("\"{}\"", excerpt(value)));
}

std::string query_examples(const DatasetTools& tools, const DatasetPtr& dataset) {
  const ExampleColumns columns = example_columns(tools, dataset);
  return fmt::format(
      "From discovery to an answer, smallest step first:\n"
      "1. get_catalog {{}}\n"
      "2. get_schema {{{at}}}\n"
      "3. distinct_values {{{at}, \"column\": \"{group}\", \"limit\": 20}}\n"
      "4. aggregate {{{at}, \"group_by\": [\"{group}\"], \"aggs\": [{{\"col\": \"{amount}\", \"fn\": "
      "\"sum\"}}], \"top_n\": 10}}\n"
      "5. Rows by words: pattern_filter {{{at}, \"field\": \"{text}\", \"patterns\": [\"WORD\"]}}, then its "
      "filter_token in `filters`\n"
      "6. What rows would cost: estimate_query {{{at}, \"columns\": [\"{text}\", \"{amount}\"]}}\n"
      "7. query_data {{{at}, \"columns\": [\"{text}\", \"{amount}\"], \"filters\": [{{\"col\": "
      "\"{amount}\", \"op\": \"range\", \"value\": {{\"min\": 1000}}}}], \"order_by\": [{{\"col\": "
      "\"{amount}\", \"desc\": true}}], \"limit\": 20}}\n"
      "8. Several datasets: bulk_filter_multiple_datasets {{{several}, \"group_by\": [\"dataset\"], "
      "\"aggs\": "
      "[{{\"col\": \"{amount}\", \"fn\": \"sum\"}}]}}\n"
      "9. If the answer is a handle: query_next_page {{\"result_handle\": \"…\", \"page_token\": \"…\"}}",
      fmt::arg("at", address(dataset)), fmt::arg("several", address_of_several(dataset)),
      fmt::arg("group", columns.group), fmt::arg("text", columns.text), fmt::arg("amount", columns.amount));
}

std::string pattern_guidelines(const DatasetTools&, const DatasetPtr&) {
  return "Finding values by words with pattern_filter:\n"
         "- Begin with mode balanced: the word and its inflected forms, not words that merely contain it.\n"
         "- A derived word is another word: give both as patterns where both are meant.\n"
         "- status needs_confirmation: show the user candidates.include with their counts, ask which are "
         "meant, and "
         "call again with confirm: {include: […]} or {exclude: […]}. Never decide for the user.\n"
         "- status confirmed: put filter_token into `filters` as it is; it is signed and must not be "
         "changed.\n"
         "- mode strict where a word has a fixed form; permissive only to explore.";
}

std::string size_guidelines(const DatasetTools& tools, const DatasetPtr&) {
  const Limits& limits = tools.services().limits;
  return fmt::format(
      "Keeping answers small:\n"
      "- An answer holds at most {} rows, {} cells, {} bytes and {} tokens (a call may go up to {}); more "
      "becomes a "
      "handle, never an error.\n"
      "- Statistics before rows: describe_dataset, distinct_values, aggregate.\n"
      "- estimate_query says rows, bytes and tokens before anything is computed, and how it knows.\n"
      "- Name the columns; shape: columns needs a third fewer tokens than records; format: csv in "
      "query_next_page the "
      "fewest.\n"
      "- For files ask output_format parquet or csv and read resource_uri.\n"
      "- Above {} rows you are asked first.",
      limits.usual.rows, limits.usual.cells, limits.usual.bytes, limits.usual.tokens, limits.ceiling.tokens,
      limits.confirm_rows);
}

constexpr std::array kPrompts = {
    PromptText{"pattern_disambiguation_guidelines", "Finding values by words",
               "How to ask before including or excluding ambiguous values", pattern_guidelines},
    PromptText{"query_examples", "Query examples", "Small examples from discovery to a page of a handle",
               query_examples},
    PromptText{"schema_cards_overview", "Schema cards", "What the columns of each collection mean",
               schema_cards_overview},
    PromptText{"size_management_guidelines", "Keeping answers small",
               "When to estimate, page or switch formats", size_guidelines},
};

bool begins_with(const std::string& value, std::string_view typed) {
  return to_lower_ascii(value).starts_with(to_lower_ascii(typed));
}

void add_once(std::vector<std::string>& values, const std::string& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

// Whether a dataset has the dimensions that are filled in already.
bool agrees(const query::Dataset& dataset, const protocol::CompletionRequest& request) {
  const std::vector<query::Dimension>& dimensions = dataset.collection().dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto filled = request.resolved.find(dimensions[i].name);
    if (dimensions[i].name == request.argument || filled == request.resolved.end()) continue;
    if (filled->second != dataset.identity().dimensions[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) {
  std::vector<protocol::Prompt> out;
  for (const PromptText& one : kPrompts) {
    if (one.name <= query.after || out.size() == query.limit) continue;
    protocol::Prompt prompt;
    prompt.name = std::string(one.name);
    prompt.title = std::string(one.title);
    prompt.description = std::string(one.description);
    if (one.text == query_examples) {
      protocol::PromptArgument argument;
      argument.name = "dataset";
      argument.description = "Which dataset the examples are about";
      prompt.arguments.push_back(std::move(argument));
    }
    out.push_back(std::move(prompt));
  }
  return out;
}

Result<protocol::PromptResult> get_prompt(const DatasetTools& tools, const std::string& name,
                                          const protocol::PromptArguments& arguments) {
  const auto found =
      std::find_if(kPrompts.begin(), kPrompts.end(), [&](const auto& one) { return one.name == name; });
  if (found == kPrompts.end()) return not_found("no such prompt: " + excerpt(name));
  DatasetPtr dataset;
  if (const auto wanted = arguments.find("dataset"); wanted != arguments.end()) {
    SLUICE_TRY(dataset, tools.locate(std::string_view(wanted->second)));
  } else {
    dataset = example_dataset(tools.inventory());
  }
  protocol::PromptResult result;
  result.description = std::string(found->description);
  result.messages.push_back(
      {.role = protocol::Role::kUser, .content = protocol::text_content(found->text(tools, dataset))});
  return result;
}

Result<protocol::Completion> complete(const DatasetTools& tools, const protocol::CompletionRequest& request) {
  protocol::Completion out;
  if (request.argument == "format") {
    for (const char* format : {"arrow", "csv", "json", "parquet"}) {
      if (begins_with(format, request.typed) && parse_format(tools, format).ok())
        out.values.emplace_back(format);
    }
    return out;
  }
  const auto* reference = std::get_if<protocol::TemplateReference>(&request.reference);
  const query::Inventory inventory = tools.inventory();
  for (const DatasetPtr& dataset : inventory.datasets()) {
    const Collection& collection = dataset->collection();
    if (reference != nullptr && !reference->uri_template.starts_with(collection.scheme + "://")) continue;
    if (request.argument == "dataset") {
      if (begins_with(dataset->name(), request.typed)) add_once(out.values, dataset->name());
    }
    for (std::size_t i = 0; i < collection.dimensions.size(); ++i) {
      if (collection.dimensions[i].name != request.argument || !agrees(*dataset, request)) continue;
      const std::string& value = dataset->identity().dimensions[i];
      if (begins_with(value, request.typed)) add_once(out.values, value);
    }
    if (out.values.size() > kCompletionValuesMax) break;
  }
  return out;
}

}  // namespace sluice::datasets
