#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/engine.h"
#include "sluice/engine/type.h"

namespace sluice::engine {

// Whether rows of a source can have cells of this type. Others must be cast to text first.
bool is_readable(const Type& type);

// How a statement reads a source.
struct ReadOptions {
  RunLimits limits;  // Those of the statement. The source may have narrower ones of its own.
  std::shared_ptr<Reservation> reservation;  // Shared by the reads of a statement; null: each read waits.
};

// Rows from elsewhere that a statement reads like a table. Any thread.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::vector<Field>& columns() const = 0;
  // Called once for each time that a statement reads it, with the places of the columns that it needs. There
  // may be none, where only the number of rows counts. Ends within the limits of the statement: the engine
  // cannot interrupt it. Uses a connection of the reservation if there is one.
  virtual Result<std::unique_ptr<Rows>> read(const std::vector<std::size_t>& wanted,
                                             const ReadOptions& options) = 0;
  // Whose connections its reads use: one for each read that runs. Null where they use none.
  virtual Database* database() const { return nullptr; }
};

// What statements may read from outside the engine. Any thread.
class Sources {
 public:
  struct Entry {
    explicit Entry(std::shared_ptr<Source> rows) : source(std::move(rows)) {}

    const std::shared_ptr<Source> source;  // Shared with whoever offered it.
    Mutex mutex;
    std::optional<Error> error
        SLUICE_GUARDED_BY(mutex);  // Why reading failed: the engine passes on no more than a sentence.
  };
  struct Offer {
    std::string sql;                    // The text for FROM,
    std::shared_ptr<const void> lease;  // which means something as long as this lives.
  };

  Offer offer(std::shared_ptr<Source> source);
  std::shared_ptr<Entry> find(std::uint64_t number) const;  // Null where it is not offered any more.

 private:
  mutable Mutex mutex_;
  std::uint64_t last_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::weak_ptr<Entry>> entries_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::engine
