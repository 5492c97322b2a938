#include "in_process_cases.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sluice/base/uri_template.h"
#include "sluice/engine/batch.h"
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"
#include "sluice/render/rows.h"

#include "sample_server.h"

namespace bench {

namespace {

namespace engine = sluice::engine;
namespace json = sluice::json;

void require(bool holds) {
  if (!holds) std::abort();
}

void answer(const SampleRequest& request, long count) {
  const auto server = make_sample_server();
  const sluice::protocol::Receiver receiver = server->receiver();
  for (long i = 0; i < count; ++i) answer_to(receiver, request);
}

void read_requests(long count) {
  const std::string body = call_request().body;
  for (long i = 0; i < count; ++i) require(json::read(body).ok());
}

void check_arguments(long count) {
  const json::Value schema = json::read(R"({
    "type":"object",
    "properties":{
      "table":{"type":"string","minLength":1,"maxLength":200},
      "columns":{"type":"array","items":{"type":"string"},"maxItems":50},
      "limit":{"type":"integer","minimum":1,"maximum":1000},
      "order":{"enum":["asc","desc"]}
    },
    "required":["table"],
    "additionalProperties":false})")
                                 .value();
  const json::Schema compiled = json::Schema::compile(schema).value();
  const json::Value arguments =
      json::read(R"({"table":"sales","columns":["id","day","amount"],"limit":20,"order":"desc"})").value();
  for (long i = 0; i < count; ++i) require(compiled.validate(arguments).empty());
}

void match_templates(long count) {
  const sluice::UriTemplate parsed =
      sluice::UriTemplate::parse("duck://main/{schema}/{table}{?page,columns*}").value();
  const std::string uri = "duck://main/public/sales%20of%202026?page=3&columns=id&columns=day";
  for (long i = 0; i < count; ++i) require(parsed.match(uri).has_value());
}

// Rows as the engine has them, without the engine: its threads would be counted, too.
class SampleBatch {
 public:
  SampleBatch() {
    for (std::int64_t i = 0; i < kRows; ++i) {
      ids_.push_back(1'000'000 + i);
      amounts_.push_back(static_cast<double>(i) * 1.25);
      notes_.push_back(
          text_cell(i % 3 == 0 ? "said \"thanks\"\n\tand left" : "delivered to the end of the street"));
    }
    batch_.rows = kRows;
    batch_.columns = {column(0, ids_.data()), column(1, notes_.data()), column(2, amounts_.data())};
  }

  const engine::Batch& batch() const { return batch_; }
  const std::vector<engine::Field>& columns() const { return columns_; }
  static constexpr std::int64_t kRows = 256;

 private:
  static engine::TextCell text_cell(const char* text) {
    engine::TextCell cell{};
    cell.size = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(cell.head, text, sizeof(cell.head));
    cell.pointer = text;
    return cell;
  }
  engine::Column column(std::size_t number, const void* cells) const {
    return {.type = &columns_[number].type,
            .cells = static_cast<const std::byte*>(cells),
            .valid = nullptr,
            .children = {}};
  }

  const std::vector<engine::Field> columns_ = {{.name = "id", .type = {.id = engine::TypeId::kInt64}},
                                               {.name = "note", .type = {.id = engine::TypeId::kText}},
                                               {.name = "amount", .type = {.id = engine::TypeId::kDouble}}};
  std::vector<std::int64_t> ids_;
  std::vector<double> amounts_;
  std::vector<engine::TextCell> notes_;
  engine::Batch batch_;
};

constexpr sluice::Budget kEndless{
    .rows = UINT64_MAX, .cells = UINT64_MAX, .bytes = UINT64_MAX / 8, .tokens = UINT64_MAX / 8};

void write_json(long count) {
  const SampleBatch sample;
  for (long i = 0; i < count; ++i) {
    sluice::render::JsonRows out(sample.columns(), {.budget = kEndless});
    require(out.append(sample.batch()) == SampleBatch::kRows);
  }
}

void write_csv(long count) {
  const SampleBatch sample;
  for (long i = 0; i < count; ++i) {
    sluice::render::CsvRows out(sample.columns(), {.budget = kEndless});
    require(out.append(sample.batch()) == SampleBatch::kRows);
  }
}

constexpr std::array<InProcessCase, 7> kCases = {{{"read", [](long count) { answer(read_request(), count); }},
                                                  {"call", [](long count) { answer(call_request(), count); }},
                                                  {"read_request", read_requests},
                                                  {"check_arguments", check_arguments},
                                                  {"match_template", match_templates},
                                                  {"rows_to_json", write_json},
                                                  {"rows_to_csv", write_csv}}};

}  // namespace

std::span<const InProcessCase> in_process_cases() { return kCases; }

}  // namespace bench
