// The engine's rows as the JSON of an answer: what stands between a finished query and its text.
#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/render/rows.h"

namespace {

using sluice::engine::quote_text;

void engine_rows(benchmark::State& state, const std::string& note) {
  const auto engine = sluice::engine::open_duckdb({.folders = {}, .scratch_folder = {}, .threads = 1});
  if (!engine.ok()) return state.SkipWithError(engine.error().message.c_str());
  // One batch of the engine, which stays as long as no other is asked for.
  const auto rows = (*engine)->query(
      {.sql = "SELECT 1000000 + range AS id, DATE '2026-07-28' AS day, 'customer number ' || range AS "
              "customer, " +
              quote_text(note) +
              " || range AS note, range * CAST(1.25 AS DOUBLE) AS amount FROM range(2048)"},
      {});
  if (!rows.ok()) return state.SkipWithError(rows.error().message.c_str());
  const auto batch = (*rows)->next();
  if (!batch.ok() || *batch == nullptr) return state.SkipWithError("no batch");
  const sluice::Budget endless{
      .rows = UINT64_MAX, .cells = UINT64_MAX, .bytes = UINT64_MAX / 8, .tokens = UINT64_MAX / 8};
  std::int64_t bytes = 0;
  for ([[maybe_unused]] const auto _ : state) {
    sluice::render::JsonRows out((*rows)->columns(), {.budget = endless});
    benchmark::DoNotOptimize(out.append(**batch));
    bytes += static_cast<std::int64_t>(out.bytes());
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(engine_rows, plain, std::string("delivered to the warehouse at the end of the street "));
BENCHMARK_CAPTURE(engine_rows, escapes,
                  std::string("said \"thanks\"\n\tand left at 10 o'clock \\ was not seen "));
BENCHMARK_CAPTURE(engine_rows, umlauts, std::string("Größe übertrifft Maß; 倉庫の通りの端に届けた "));

}  // namespace
