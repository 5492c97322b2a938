#include "sluice/datasets/dataset_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/query/answer_stream.h"
#include "sluice/query/result_file.h"

#include "answer/filter_token.h"
#include "lean/lean_tools.h"
#include "lean/statement.h"
#include "tools/definitions.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

constexpr std::chrono::milliseconds kRegistryWait{100};  // For the watcher to notify of a changed file.

// A question that may run, and what it reads.
struct PreparedQuestion {
  Subject subject;
  expression::Question question;
};

// Rows that keep alive what they are read from.
class PreparedRows final : public engine::Rows {
 public:
  PreparedRows(Subject subject, std::unique_ptr<engine::Rows> rows)
      : subject_(std::move(subject)), rows_(std::move(rows)) {}

  const std::vector<engine::Field>& columns() const override { return rows_->columns(); }
  Result<const engine::Batch*> next() override { return rows_->next(); }

 private:
  const Subject subject_;  // Before the rows: they end first.
  const std::unique_ptr<engine::Rows> rows_;
};

query::AnswerRequest answer_request(const PreparedQuestion& prepared, const catalog::Context& context) {
  query::AnswerRequest out;
  out.dataset = prepared.subject.dataset;
  out.table = prepared.subject.table.get();
  out.question = prepared.question;
  out.format = query::Format::kParquet;
  out.principal = context.principal();
  out.limits = {.deadline = context.deadline(), .stop = context.stop()};
  return out;
}

// The number of rows, if the question keeps those of a dataset whose number is known.
std::optional<std::uint64_t> row_count_of(const PreparedQuestion& prepared) {
  const query::Dataset& dataset = *prepared.subject.dataset;
  const expression::Question& question = prepared.question;
  if (!question.keeps_rows || dataset.count_state() != query::CountState::kExact) return std::nullopt;
  const std::uint64_t rows = dataset.row_count() - std::min(question.offset, dataset.row_count());
  return std::min(rows, question.limit.value_or(UINT64_MAX));
}

// Every argument is one of query_data, or a dimension of some collection.
Status check_names(const json::Object& arguments, const query::Inventory& inventory) {
  static const protocol::Tool tool = reader_tools().query;
  const json::Value* properties = tool.input_schema.find("properties");
  std::vector<std::string> known;
  for (const json::Member& member : *properties->if_object()) known.push_back(member.key);
  for (const auto& collection : inventory.collections()) {
    for (const query::Dimension& dimension : collection->dimensions) known.push_back(dimension.name);
  }
  for (const json::Member& member : arguments) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::string nearest = nearest_name(member.key, known);
    return invalid_input("unknown argument: " + excerpt(member.key))
        .with_code("invalid_arguments")
        .with_hint(nearest.empty() ? "Leave it out." : "Did you mean " + nearest + "?");
  }
  return {};
}

class ReaderOfDatasets final : public DatasetReader {
 public:
  explicit ReaderOfDatasets(Services services) : dataset_tools_(std::move(services)) {}

  Result<std::string> list(const json::Object& arguments, catalog::Context& context) const override {
    SLUICE_TRY(protocol::ToolResult result, get_catalog(dataset_tools_, arguments, context));
    return std::move(result.structured_text);
  }

  Result<std::string> schema(const json::Object& arguments, catalog::Context& context) const override {
    return again_if_changed<std::string>([&]() -> Result<std::string> {
      SLUICE_TRY(protocol::ToolResult result, get_schema(dataset_tools_, arguments, context));
      return std::move(result.structured_text);
    });
  }

  Result<Opened> open(const json::Object& arguments, catalog::Context& context) const override {
    return again_if_changed<Opened>([&]() -> Result<Opened> {
      SLUICE_TRY(PreparedQuestion prepared, prepare(arguments, context));
      SLUICE_TRY(std::unique_ptr<engine::Rows> rows,
                 query::stream_answer(*prepared.subject.engine, answer_request(prepared, context)));
      const std::optional<std::uint64_t> count = row_count_of(prepared);
      return Opened{.rows = std::make_unique<PreparedRows>(std::move(prepared.subject), std::move(rows)),
                    .row_count = count};
    });
  }

  Result<query::FilePtr> write_parquet(const json::Object& arguments, std::uint64_t rows_max,
                                       catalog::Context& context) const override {
    return again_if_changed<query::FilePtr>([&]() -> Result<query::FilePtr> {
      SLUICE_TRY(const PreparedQuestion prepared, prepare(arguments, context));
      const query::AnswerRequest request = answer_request(prepared, context);
      engine::Engine& engine = *prepared.subject.engine;
      query::Spool& spool = *dataset_tools_.services().spool;
      SLUICE_TRY(const query::Answer answer, query::answer(engine, spool, request));
      if (answer.row_count > rows_max) {
        spool.remove(*answer.snapshot);
        return limit_reached("rows of one response", rows_max)
            .with_code("oversize_result")
            .with_hint("Ask for less: a filter, an aggregate or LIMIT.");
      }
      return query::result_file(engine, spool, *answer.snapshot, query::Format::kParquet, request.limits);
    });
  }

 private:
  Result<PreparedQuestion> prepare(const json::Object& arguments, const catalog::Context& context) const {
    if (const json::Value* sql = arguments.find("sql"); sql != nullptr && sql->if_string() != nullptr) {
      SLUICE_TRY(lean::CheckedStatement checked,
                 lean::check_statement(dataset_tools_, {.sql = *sql->if_string()}, context));
      return PreparedQuestion{.subject = std::move(checked.subject), .question = std::move(checked.question)};
    }
    SLUICE_CHECK(check_names(arguments, dataset_tools_.inventory_now()));
    PreparedQuestion out;
    SLUICE_TRY(out.subject, dataset_tools_.open(arguments, context));
    SLUICE_TRY(const query::QueryArguments asked, read_question(dataset_tools_, arguments, context));
    SLUICE_TRY(out.question, query::compile(asked, *out.subject.table, out.subject.dataset->collection(),
                                            dataset_tools_.guard_of(context)));
    return out;
  }

  // A file may be newer than what is known of it. The watcher is about to notify; then it is asked again.
  template <typename T, typename Ask>
  Result<T> again_if_changed(const Ask& ask) const {
    const query::Inventory seen = dataset_tools_.inventory();
    Result<T> out = ask();
    if (out.ok() || out.error().kind != ErrorKind::kConflict) return out;
    dataset_tools_.services().registry->wait_past(seen, kRegistryWait);
    return ask();
  }

  const DatasetTools dataset_tools_;
};

protocol::Tool tool_named(const std::vector<ToolDefinition>& definitions, std::string_view name) {
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&](const ToolDefinition& one) { return one.tool.name == name; });
  return found == definitions.end() ? protocol::Tool() : found->tool;
}

}  // namespace

std::unique_ptr<DatasetReader> make_dataset_reader(Services services) {
  return std::make_unique<ReaderOfDatasets>(std::move(services));
}

ReaderTools reader_tools() {
  const std::vector<ToolDefinition> full = tool_definitions(query::Inventory(), Limits());
  const std::vector<ToolDefinition> lean = lean::tool_definitions(lean::ArrowFiles::kOffered);
  return {.list = tool_named(full, "get_catalog"),
          .schema = tool_named(full, "get_schema"),
          .sql = tool_named(lean, "query"),
          .query = tool_named(full, "query_data")};
}

}  // namespace sluice::datasets
