// JSON in both directions. The library behind the reader is measured beside it, to show what strictness and
// an owned tree cost on top.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "sample_server.h"

namespace {

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * static_cast<std::int64_t>(state.iterations()));
}

void json_read(benchmark::State& state) {
  const std::string text = bench::call_request().body;
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(sluice::json::read(text));
  count_bytes(state, text.size());
}
BENCHMARK(json_read);

void json_read_boost(benchmark::State& state) {
  const std::string text = bench::call_request().body;
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(boost::json::parse(text));
  count_bytes(state, text.size());
}
BENCHMARK(json_read_boost);

struct Row {
  std::int64_t id;
  std::string day;
  std::string customer;
  std::string note;
  double amount;
};

std::vector<Row> make_rows(const std::string& note) {
  constexpr std::int64_t kRows = 1'000;
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < kRows; ++i) {
    rows.push_back({.id = 1'000'000 + i,
                    .day = "2026-07-28",
                    .customer = "customer number " + std::to_string(i),
                    .note = note,
                    .amount = static_cast<double>(i) * 1.25});
  }
  return rows;
}

std::string write_rows(const std::vector<Row>& rows) {
  sluice::json::Writer out;
  out.begin_array();
  for (const Row& row : rows) {
    out.begin_array().number(row.id).string(row.day).string(row.customer).string(row.note).number(row.amount);
    out.end_array();
  }
  out.end_array();
  return std::move(out).take();
}

void json_write_rows(benchmark::State& state, const std::string& note) {
  const std::vector<Row> rows = make_rows(note);
  std::size_t bytes = 0;
  for ([[maybe_unused]] const auto _ : state) {
    const std::string text = write_rows(rows);
    benchmark::DoNotOptimize(text.data());
    bytes = text.size();
  }
  count_bytes(state, bytes);
}
BENCHMARK_CAPTURE(json_write_rows, plain, std::string("delivered to the warehouse at the end of the street"));
BENCHMARK_CAPTURE(json_write_rows, escapes,
                  std::string("said \"thanks\"\n\tand left at 10 o'clock \\ was not seen"));
BENCHMARK_CAPTURE(json_write_rows, umlauts, std::string("Größe übertrifft Maß; 倉庫の通りの端に届けた"));

void json_write_string(benchmark::State& state) {
  constexpr std::size_t kBytes = 64 * 1024;
  std::string text;
  while (text.size() < kBytes) text.append("a line of plain text without anything to escape; ");
  std::string out;
  for ([[maybe_unused]] const auto _ : state) {
    out.clear();
    sluice::json::append_string(out, text);
    benchmark::DoNotOptimize(out.data());
  }
  count_bytes(state, text.size());
}
BENCHMARK(json_write_string);

}  // namespace
