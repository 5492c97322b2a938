// Parts of the way of a request, and the whole way without sockets.
#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>

#include "sluice/base/uri_template.h"
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

#include "sample_server.h"

namespace {

using sluice::json::Value;

void schema_validate(benchmark::State& state) {
  const Value schema = sluice::json::read(R"({
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
  const sluice::json::Schema compiled = sluice::json::Schema::compile(schema).value();
  const Value arguments =
      sluice::json::read(R"({"table":"sales","columns":["id","day","amount"],"limit":20,"order":"desc"})")
          .value();
  if (!compiled.validate(arguments).empty()) std::abort();  // Both are literals of this program.
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(compiled.validate(arguments));
}
BENCHMARK(schema_validate);

void template_match(benchmark::State& state) {
  const sluice::UriTemplate parsed =
      sluice::UriTemplate::parse("duck://main/{schema}/{table}{?page,columns*}").value();
  const std::string uri = "duck://main/public/sales%20of%202026?page=3&columns=id&columns=day";
  if (!parsed.match(uri)) std::abort();  // Both are literals of this program.
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(parsed.match(uri));
}
BENCHMARK(template_match);

void whole_request(benchmark::State& state, const bench::SampleRequest& request) {
  const auto server = bench::make_sample_server();
  const sluice::protocol::Receiver receiver = server->receiver();
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(bench::answer_to(receiver, request));
}
// Real time: the work is done on a thread of the server, this one waits.
BENCHMARK_CAPTURE(whole_request, resources_read, bench::read_request())->UseRealTime();
BENCHMARK_CAPTURE(whole_request, tools_call, bench::call_request())->UseRealTime();

}  // namespace
