#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/caller.h"
#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/source.h"
#include "sluice/expression/question.h"

namespace sluice::query {

// A named part of what identifies a dataset within its collection, e.g. `year`.
struct Dimension {
  std::string name;
  bool is_integer = false;
  std::string description;
  std::string usual;  // The value where none is given; such a dimension stands in no URI. Empty: none.
};

// A meaning that a column can have, e.g. `allocated`. The first of `columns` that a dataset has is the one.
struct Role {
  std::string name;
  std::vector<std::string> columns;
};

// Totals that stand on every row of a group, so that their sum counts them many times. A `*` in the names
// stands for the same text in each: `state_body_*` with the parts `subprogram_*` means that the parts of
// state_body_total are in subprogram_total. The first of `parts` that a dataset has is the one; in a dataset
// that has none, the column is no repeated total.
struct RepeatedTotal {
  std::string columns;
  std::string per;  // The column that names the group.
  std::vector<std::string> parts;
};

// Columns that hold a quotient: over several rows it is the quotient of the sums, never a sum or a plain
// average. A `*` stands for the same text in all three names.
struct Ratio {
  std::string columns;
  std::string numerator;
  std::string denominator;
};

// A small view of a dataset that has a URI of its own: {scheme}://{other dimensions}/{name}, as CSV.
struct Summary {
  std::string name;
  std::map<std::string, std::string> fixed;  // Dimensions whose values are given.
  std::vector<std::string> group_by;         // Empty: all rows, a page at a time.
  std::string role;                          // What is summed,
  std::string total;                         // and what the sum is called.
};

// What the rows of a collection are about, where that can be followed from one dataset to the next:
// programmes through the years. Columns and dimensions by name; empty where there is none.
struct Entity {
  std::string series;  // The dimension along which it is followed. Empty: the collection has no entity.
  std::string code;
  std::string name;
  std::string group;                      // Whose it is.
  std::vector<std::string> descriptions;  // What else is said of it.
  std::string measure;                    // The role that says how much it is.
  // Values of the one other dimension: where a call does not say, the first that has what it needs.
  std::vector<std::string> variants;
};

// Words by which the entities of a kind are known.
struct Topic {
  std::string name;
  std::vector<std::string> keywords;  // The beginning of a word suffices.
  std::vector<std::string> required;  // Of the keywords.
  std::vector<std::string> exclude;
};

// What the datasets of one source have in common. Immutable, and shared by them.
struct Collection {
  std::string name;
  std::string scheme;  // Of its URIs: {scheme}://…/schema.
  // Of the pages of results, where another provider offers the resources of `scheme`. Empty: the same.
  std::string handle_scheme;
  std::string description;
  std::vector<Dimension> dimensions;
  // Whether its datasets have the same columns, as far as anybody knows, so that a list of tables may name
  // the collection instead of each of them.
  bool is_uniform = true;
  std::string unit;                          // Of amounts, as people write it. Empty where nobody has said.
  std::string encoding;                      // Of its files of text. Empty: each tells.
  std::map<std::string, std::string> types;  // Column to SQL type, where reading the data would guess wrong.
  std::vector<Role> roles;
  std::vector<RepeatedTotal> repeated_totals;
  std::vector<Ratio> ratios;
  std::string overall_suffix;  // Beside `x.csv`, `x` + this holds totals as JSON. Empty: there are none.
  std::vector<Summary> summaries;
  Entity entity;
  std::vector<Topic> topics;

  bool has_own_resources() const { return handle_scheme.empty(); }
  const std::string& scheme_of_handles() const { return has_own_resources() ? scheme : handle_scheme; }
};

// What is known of a table before any of its rows are wanted.
struct Table {
  expression::Columns columns;
  std::string reader;              // What follows the file's name in the text for FROM.
  std::string row_number;          // An expression for the row's place in the file.
  std::string columns_sql;         // What to select of the file, where its columns are not taken as they are.
  std::string encoding;            // What a file of text is written in; empty where there is no such file.
  std::string encoding_known_by;   // "byte_order_mark", "configuration" or "content".
  bool is_copied = false;          // It is read from a copy in UTF-8.
  std::vector<std::string> notes;  // About how its columns are read, for whoever asks for the schema.
  double row_bytes = 0;            // Of the file, as its beginning has them; 0: not known.
  std::shared_ptr<const engine::TableLayout> layout;       // Of a table in a database; shared by its copies.
  std::chrono::seconds lifetime = std::chrono::hours(24);  // How long it is taken for true.
};

// How a function of the engine reads one file, so that one call can read several that are read alike.
struct FileScan {
  std::string function;   // read_parquet
  std::string path;       // Of the file's descriptor.
  std::string arguments;  // What follows the path, with a comma before it.
  std::string columns;    // What to select of the file; empty: its columns as they are.
};

// The text for FROM while one statement runs, and what keeps it true.
struct Relation {
  std::string sql;
  std::optional<FileScan> scan;       // What `sql` does, if it reads one file.
  std::shared_ptr<const void> lease;  // Held by the statement that runs and by whoever opened the relation.
  // Where the source has answered the question itself: its rows are the answer, in order and from the offset
  // on, up to one more than the limit. Null: they are the rows of the table. Shared with the lease.
  std::shared_ptr<engine::Source> answer;
  std::string row_number;  // Where it is another expression than that of the table.
  // Where a question reads several tables by names of their own: all of them, as they stand behind WITH.
  // There is no `data` then.
  std::string tables;
};

// An expression for a row's place in its file.
inline const std::string& row_number(const Table& table, const Relation& relation) {
  return relation.row_number.empty() ? table.row_number : relation.row_number;
}

// A part of a table that is read before the statement that uses it, if it is small.
struct FewRows {
  plan::Condition filter;            // Rows that do not meet it may be left out.
  std::vector<std::size_t> columns;  // That the statement may read.
  std::uint64_t rows_max = 0;
  std::uint64_t bytes_max = 0;
};

enum class CountState : std::uint8_t {
  kPending,    // Nobody has looked yet.
  kEstimated,  // By the beginning of the file, until it is counted.
  kExact,
  kGuessed,  // By a database whose rows change without notice: a count would not stay true.
  kUnknown,
  kFailed,  // The data cannot be read.
};

class Dataset;

// A table that a plan reads, by the name that its Scan has for it. Whoever passes it keeps both alive.
struct NamedTable {
  std::string name;
  const Dataset* dataset = nullptr;
  const Table* table = nullptr;
};

// One version of a table that questions can be asked about: when its data changes, another Dataset takes its
// place. Any thread.
class Dataset {
 public:
  struct Identity {
    std::shared_ptr<const Collection> collection;  // Shared by its datasets.
    std::string name;                              // Unique in the program: `2023_BUDGET_LAW`, `sales/north`.
    std::vector<std::string> dimensions;           // In the order of the collection's.
    std::string path;  // Relative to the served folder; empty where there is no file.
    std::uint64_t bytes = 0;
    WallTime modified;
    std::string version;      // Differs whenever the data may differ,
    bool is_followed = true;  // or, where this is false, only when the columns do.
    // Of the rules that decide which rows and columns it has. What is known of it is known under these alone.
    PolicyDigest policy = {};
  };

  explicit Dataset(Identity identity) : identity_(std::move(identity)) {}
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset();

  const Identity& identity() const { return identity_; }
  const Collection& collection() const { return *identity_.collection; }
  const std::string& name() const { return identity_.name; }
  virtual std::string uri(std::string_view part) const;  // {scheme}://2023/BUDGET_LAW/{part}

  virtual Result<Table> inspect(engine::Engine& engine, const engine::RunLimits& limits) const = 0;
  // For one statement, which ends within the limits. A source that can answer `question` itself may do so;
  // null: the rows of the table are wanted.
  virtual Result<Relation> open(const Table& table, const engine::RunLimits& limits,
                                const expression::Question* question) const = 0;
  // The same for a question over several tables, one of which is that of this dataset: their common source
  // answers it as a whole, or else the relation has no `answer` and no text.
  virtual Result<Relation> open_together(const std::vector<NamedTable>& /*tables*/,
                                         const engine::RunLimits& /*limits*/,
                                         const expression::Question& /*question*/) const {
    return Relation{};
  }
  // How large the source's own planner thinks that the answer is; kUnsupported where it has none.
  virtual Result<engine::PlanGuess> guess(const Table& table, const expression::Question& question,
                                          const engine::RunLimits& limits) const;
  // The same of a question that open_together() answers.
  virtual Result<engine::PlanGuess> guess_together(const std::vector<NamedTable>& tables,
                                                   const expression::Question& question,
                                                   const engine::RunLimits& limits) const;
  // The part of a filter that the source of the data applies before it sends rows. Nullopt: it applies none.
  virtual std::optional<plan::Condition> source_filter(const Table& /*table*/,
                                                       const plan::Condition& /*filter*/) const {
    return std::nullopt;
  }
  // The databases whose connections its reads use; empty if they use none.
  virtual std::vector<const engine::Database*> databases() const { return {}; }
  // Reads rows of a database and keeps them: the relation can be read any number of times, and all see the
  // same rows. Nullopt if there are more than `few` allows, or if the source does not do that.
  virtual Result<std::optional<Relation>> open_few(const Table& table, const FewRows& few,
                                                   const engine::RunLimits& limits) const;
  // The SELECT that its source gets for a question, of which the columns at `columns` are needed if the
  // source sends rows; empty if it gets none.
  virtual std::string source_sql(const Table& /*table*/, const expression::Question& /*question*/,
                                 const std::vector<std::size_t>& /*columns*/) const {
    return {};
  }
  // Where the columns of an answer come from, see lineage_json(). Empty if it is not known.
  virtual json::Object lineage(const expression::Question& /*question*/) const { return {}; }
  // Whether the data is still that of this version, as far as a look at it tells. Cheap.
  virtual bool is_current() const = 0;
  // After how many questions a copy in columns is worth its making. Nothing: never.
  virtual std::optional<int> questions_before_copy() const { return std::nullopt; }
  // The content of a file that belongs to this one, e.g. its totals; kNotFound where there is none.
  virtual Result<std::string> read_beside(std::string_view suffix) const = 0;
  // Where such a file is, relative to the served folder; empty where there can be none.
  virtual std::string path_beside(std::string_view suffix) const;

  // Never kExact if the data is known to have changed since it was counted.
  virtual CountState count_state() const { return count_state_.load(std::memory_order_acquire); }
  std::uint64_t row_count() const { return row_count_.load(std::memory_order_acquire); }
  // Finds out how many rows there are, as exactly as that can be done by the deadline, if nobody has yet.
  virtual void count_quickly(Monotonic /*deadline*/) const {}
  void set_row_count(std::uint64_t rows) const;
  void set_row_estimate(std::uint64_t rows) const;  // No effect on a count that is known.
  // Where rows change without a word, so that a count would not stay true: as the source last guessed, if it
  // did.
  void set_row_guess(std::optional<std::uint64_t> rows) const;
  // Why the rows cannot be counted, which is why the data cannot be read. The first reason stays.
  void set_count_failed(std::string_view reason) const;
  std::string_view count_error() const;  // Empty unless counting has failed. Lives as long as this.

 private:
  const Identity identity_;
  mutable std::atomic<std::uint64_t> row_count_ = 0;
  mutable std::atomic<CountState> count_state_ = CountState::kPending;
  // Owned. Set once, so that readers need no lock, and rarely: a catalog may hold 100,000 of these.
  mutable std::atomic<const std::string*> count_error_ = nullptr;
};

using DatasetPtr =
    std::shared_ptr<const Dataset>;  // The registry until it is replaced, and calls that use it.

}  // namespace sluice::query
