#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/query/statement_part.h"

namespace sluice::query {

// What is needed to send the keys of one table of a statement to the database of another.
struct KeyPush {
  std::shared_ptr<engine::Engine> engine;  // Computes them. Shared with the slot. Null: none are sent.
  std::vector<expression::KeyLink> links;
  std::uint64_t keys_max = 0;  // Of one table. Tables that have as few rows are read as they are.
  plan::Guard guard = {};      // The rules of whoever asks.
};

// Keys of one part that restrict another, by their places in the list of parts.
struct KeyStep {
  std::size_t from = 0;
  std::size_t from_column = 0;
  std::size_t to = 0;
  std::size_t to_column = 0;

  friend bool operator==(const KeyStep&, const KeyStep&) = default;
};

// The keys that are sent if there are few enough, in the order in which they are computed.
std::vector<KeyStep> key_steps(const std::vector<StatementPart>& parts, const KeyPush& push);

// A link by which no keys are sent, although the rows of a database would be fewer.
struct UnsentKeys {
  KeyStep step;
  std::string reason;  // "it has 12 rows"
};
std::vector<UnsentKeys> unsent_keys(const std::vector<StatementPart>& parts, const KeyPush& push);

// Opens the parts of one statement. The distinct keys of small tables are computed first, and become a
// condition on the rows that other databases send: `column IN (keys)`. The statement still joins, so that
// a table may send more rows than it needs.
//
// Keys are those of the rows that the statement reads: of a file, a result or a record type the same relation
// serves both, and the rows of a table in a database are read once and kept. A database in which the
// statement reads two tables is never asked for keys, as both must be seen at one moment.
class KeyedParts {
 public:
  // What is passed must outlive it.
  KeyedParts(const std::vector<StatementPart>& parts, const KeyPush& push, const engine::RunLimits& limits);

  // Computes the keys. Call it once, before `open`.
  Status compute_keys();
  // Each part once.
  Result<Relation> open(std::size_t part, bool is_ordered);

 private:
  Status open_with_keys(std::size_t part);
  Result<std::optional<json::Array>> read_keys(std::size_t part, std::size_t column) const;
  Status send(const KeyStep& step);

  const std::vector<StatementPart>& parts_;
  const KeyPush& push_;
  const engine::RunLimits& limits_;
  std::vector<plan::Condition> filters_;  // Of each part, keys included.
  std::vector<bool> is_restricted_;       // By keys.
  std::vector<std::optional<Relation>> opened_;
};

}  // namespace sluice::query
