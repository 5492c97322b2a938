#include "analysis/findings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "answer/result_json.h"

namespace sluice::datasets::analysis {

namespace {

constexpr std::size_t kKeptBytesMax = std::size_t{16} << 20U;

// All of them as one JSON array of records, to be read as a table.
std::string records_of(const std::map<std::string, std::vector<Finding>>& by_place) {
  json::Writer out;
  out.begin_array();
  for (const auto& [place, found] : by_place) {
    for (const Finding& one : found) {
      std::string words;
      for (const std::string& word : one.words) (words += words.empty() ? "" : ", ") += word;
      out.begin_object().field("place", place).field("code", one.program.code);
      out.field("name", one.program.name).field("own_group", one.program.group);
      out.field_if("total", one.program.total);
      out.field("score", one.score).field("words", words).end_object();
    }
  }
  out.end_array();
  return std::move(out).take();
}

std::string select_of(const Series& series) {
  const query::Entity& entity = series.entity();
  std::string columns =
      fmt::format("r.place AS {}, r.code AS {}, r.name AS {}", engine::quote_name(entity.series),
                  engine::quote_name(entity.code), engine::quote_name(entity.name));
  if (!entity.group.empty()) columns += fmt::format(", r.own_group AS {}", engine::quote_name(entity.group));
  return fmt::format(
      "SELECT {}, r.total AS total, r.score AS score, r.words AS matched FROM (SELECT "
      "unnest(from_json(CAST($1 AS VARCHAR), "
      "'[{{\"place\":\"VARCHAR\",\"code\":\"VARCHAR\",\"name\":\"VARCHAR\",\"own_group\":\"VARCHAR\","
      "\"total\":\"DOUBLE\",\"score\":\"DOUBLE\",\"words\":\"VARCHAR\"}}]')) AS r)",
      columns);
}

}  // namespace

std::size_t Shares::write(json::Writer& out, const std::vector<std::string>& items) {
  const std::uint64_t share = bytes_ / std::max<std::size_t>(1, parts_);
  if (parts_ > 0) --parts_;
  std::uint64_t used = 0;
  std::size_t count = 0;
  out.begin_array();
  for (; count < items.size() && used + items[count].size() + 1 <= share; ++count) {
    out.raw(items[count]);
    used += items[count].size() + 1;
  }
  out.end_array();
  bytes_ -= used;
  return count;
}

void write_handle(json::Writer& out, const DatasetTools& tools, const query::Snapshot& snapshot) {
  out.field("result_handle", snapshot.id);
  out.field("resource_uri", handle_uri(snapshot, 0, query::Format::kCsv)).field("row_count", snapshot.rows);
  out.key("page_info").begin_object().field("page_token", page_token(tools, snapshot.id, 0));
  out.field("has_more", snapshot.rows > 0).end_object();
}

std::uint64_t answer_room(const DatasetTools& tools) {
  constexpr std::uint64_t kHeadBytes = 2'500;  // What was asked, a handle, warnings and the keys of places.
  const std::uint64_t bytes = tools.answer_bytes();
  return bytes > 2 * kHeadBytes ? bytes - kHeadBytes : bytes / 2;
}

Result<Findings::Bounds> read_bounds(const DatasetTools& tools, const json::ObjectReader& in) {
  constexpr std::int64_t kUsualPerPlace = 50;
  Findings::Bounds out;
  SLUICE_TRY(const std::optional<std::int64_t> most, in.optional_int("max_per_year"));
  SLUICE_TRY(const std::optional<std::int64_t> bytes, in.optional_int("max_inline_bytes"));
  SLUICE_TRY(const std::optional<bool> as_file, in.optional_bool("force_file_output"));
  out.per_place = static_cast<std::uint64_t>(std::max<std::int64_t>(1, most.value_or(kUsualPerPlace)));
  out.bytes = answer_room(tools);
  if (bytes) out.bytes = std::min(out.bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *bytes)));
  out.as_file = as_file.value_or(false);
  return out;
}

void Findings::add(const std::string& place, std::vector<Finding> found) {
  if (found.empty()) return;
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.score > b.score; });
  total_ += found.size();
  by_place_[place] = std::move(found);
}

double Findings::average_score() const {
  double sum = 0;
  for (const auto& [place, found] : by_place_) {
    for (const Finding& one : found) sum += one.score;
  }
  return total_ == 0 ? 0 : sum / static_cast<double>(total_);
}

Result<query::SnapshotPtr> Findings::keep(const DatasetTools& tools, const catalog::Context& context) const {
  const std::string records = records_of(by_place_);
  if (records.size() > kKeptBytesMax) {
    return limit_reached("bytes of what was found", kKeptBytesMax)
        .with_code("oversize_result")
        .with_hint("Raise the threshold, or name fewer " + plural(series_.entity()) + ".");
  }
  SLUICE_TRY(const std::shared_ptr<engine::Engine> engine, tools.services().engines->get());
  engine::Statement select{.sql = select_of(series_), .parameters = {records}};
  SLUICE_TRY(engine::Description description, engine->describe(select));
  return tools.services().spool->write(*engine,
                                       {.select = std::move(select),
                                        .columns = std::move(description.columns),
                                        .scheme = series_.collection().scheme,
                                        .owner = context.principal()},
                                       limits_of(context));
}

Result<protocol::ToolResult> Findings::answer(const DatasetTools& tools, const json::Object& head,
                                              const json::Object& summary, const Bounds& bounds,
                                              const catalog::Context& context) const {
  Shares shares(bounds.bytes, by_place_.size());
  std::uint64_t listed = 0;
  json::Writer results;
  results.begin_object();
  for (const auto& [place, found] : by_place_) {
    std::vector<std::string> items;
    for (const Finding& one : found) {
      if (items.size() == bounds.per_place) break;
      items.push_back(one.item);
    }
    results.key(place);
    listed += shares.write(results, items);
  }
  results.end_object();
  json::Writer out;
  out.begin_object();
  for (const json::Member& member : head) out.field(member.key, member.value);
  if (listed < total_ || bounds.as_file) {
    SLUICE_TRY(const query::SnapshotPtr snapshot, keep(tools, context));
    write_handle(out, tools, *snapshot);
    write_warnings(
        out, {fmt::format("{} of {} are listed here; query_next_page reads all of them.", listed, total_)});
  }
  for (const json::Member& member : summary) {
    out.field(member.key, member.value);
  }
  return protocol::json_text_result(std::move(out.raw_field("results", results.text()).end_object()).take());
}

}  // namespace sluice::datasets::analysis
