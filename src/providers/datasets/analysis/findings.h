#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sluice/json/object_reader.h"
#include "sluice/protocol/model/tool.h"

#include "analysis/program.h"

namespace sluice::datasets::analysis {

// The bytes of an answer, divided among its parts: what one leaves is for those after it.
class Shares {
 public:
  Shares(std::uint64_t bytes, std::size_t parts) : bytes_(bytes), parts_(parts) {}

  // Writes as many of `items`, each JSON, as fit the share of the next part, as an array. Returns how many.
  std::size_t write(json::Writer& out, const std::vector<std::string>& items);

 private:
  std::uint64_t bytes_;
  std::size_t parts_;
};

// An entity that was found, with what else the answer says of it.
struct Finding {
  Program program;
  double score = 0;
  std::vector<std::string> words;  // That matched.
  std::string item;                // As the answer has it, JSON.
};

// What was found, by place; the best first, at most so many of each place in the answer itself.
class Findings {
 public:
  explicit Findings(const Series& series) : series_(series) {}

  void add(const std::string& place, std::vector<Finding> found);
  std::uint64_t total() const { return total_; }
  double average_score() const;
  // Places with at least one.
  const std::map<std::string, std::vector<Finding>>& by_place() const { return by_place_; }

  struct Bounds {
    std::uint64_t per_place = 50;
    std::uint64_t bytes = 0;
    bool as_file = false;  // Keep all of them as a handle, however few.
  };
  // {status of what is listed, `results` by place, `summary`}: what does not fit is all kept behind a handle.
  Result<protocol::ToolResult> answer(const DatasetTools& tools, const json::Object& head,
                                      const json::Object& summary, const Bounds& bounds,
                                      const catalog::Context& context) const;

 private:
  Result<query::SnapshotPtr> keep(const DatasetTools& tools, const catalog::Context& context) const;

  const Series& series_;  // Outlives the call.
  std::map<std::string, std::vector<Finding>> by_place_;
  std::uint64_t total_ = 0;
};

// The bytes of an answer that its lists may have.
std::uint64_t answer_room(const DatasetTools& tools);

// From `max_per_year` (whatever the series is called), `max_inline_bytes` and `force_file_output`.
Result<Findings::Bounds> read_bounds(const DatasetTools& tools, const json::ObjectReader& in);

// A handle in an answer: its id, its URI, and how to read on.
void write_handle(json::Writer& out, const DatasetTools& tools, const query::Snapshot& snapshot);

}  // namespace sluice::datasets::analysis
