#include "prompts.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::records_provider {

namespace {

constexpr std::string_view kName = "data_persistence_guidance";
constexpr std::string_view kDescription = "How to keep records so that they are found again";
constexpr std::size_t kContextBytesMax = 2'000;

constexpr std::string_view kReading =
    "Records live in data types, one table each.\n"
    "1. Look first: list_data_types, then get_schema of the one that fits. A record belongs where records "
    "like it are.\n"
    "2. Find before you add: search_parquet by words, or read_parquet with filters on what identifies the "
    "record.\n"
    "3. Ask for what you need: filters, columns and limit; aggregate_parquet and get_statistics answer "
    "questions of how "
    "many and how much without rows.\n";
constexpr std::string_view kWriting =
    "4. upsert_record with filters on what identifies the record changes it where it is and adds it where it "
    "is not; "
    "add_records adds many in one step.\n"
    "5. Keep to the columns and types of the schema, dates in ISO 8601. A new key makes a new column.\n"
    "6. Before you change or delete many: dry_run shows what would happen, and version with expected_version "
    "keeps you "
    "from overwriting somebody else's change.\n"
    "7. Every change can be undone: read_audit_log has the id that rollback_operation takes.\n"
    "Write what the user has said or agreed to, and say afterwards what was written and where.";
constexpr std::string_view kReadOnly =
    "4. This store is read-only here: propose what should be written, with its data type and values, and let "
    "the user "
    "do it.";

}  // namespace

std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) {
  if (kName <= query.after || query.limit == 0) return {};
  protocol::Prompt prompt;
  prompt.name = std::string(kName);
  prompt.title = "Keeping records";
  prompt.description = std::string(kDescription);
  protocol::PromptArgument argument;
  argument.name = "context";
  argument.description = "What is to be kept, in a few words";
  prompt.arguments.push_back(std::move(argument));
  return {std::move(prompt)};
}

Result<protocol::PromptResult> get_prompt(const RecordTools& tools, const std::string& name,
                                          const protocol::PromptArguments& arguments) {
  if (name != kName) return not_found("no such prompt: " + excerpt(name));
  std::string text(kReading);
  text += tools.store().is_writable() ? kWriting : kReadOnly;
  if (const auto context = arguments.find("context");
      context != arguments.end() && !context->second.empty()) {
    text += fmt::format("\n\nWhat this is about: {}", excerpt(context->second, kContextBytesMax));
  }
  protocol::PromptResult result;
  result.description = std::string(kDescription);
  result.messages.push_back(
      {.role = protocol::Role::kUser, .content = protocol::text_content(std::move(text))});
  return result;
}

}  // namespace sluice::records_provider
