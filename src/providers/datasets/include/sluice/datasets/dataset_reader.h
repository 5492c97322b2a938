#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/context.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/query/snapshot.h"

namespace sluice::datasets {

// What programs that do not speak MCP ask of the datasets: the same questions as the tools, with all rows as
// they are computed instead of an answer within a budget, and without anybody to confirm anything. Any
// thread. It must outlive what it returns.
class DatasetReader {
 public:
  virtual ~DatasetReader() = default;

  // get_catalog and get_schema, with their arguments and answers (JSON).
  virtual Result<std::string> list(const json::Object& arguments, catalog::Context& context) const = 0;
  virtual Result<std::string> schema(const json::Object& arguments, catalog::Context& context) const = 0;

  struct Opened {
    std::unique_ptr<engine::Rows> rows;
    std::optional<std::uint64_t> row_count;  // Where it is known before.
  };
  // The question of `query` (with `sql`, one statement) or that of `query_data`.
  virtual Result<Opened> open(const json::Object& arguments, catalog::Context& context) const = 0;
  // The same as a file of Parquet in the spool.
  virtual Result<query::FilePtr> write_parquet(const json::Object& arguments, std::uint64_t rows_max,
                                               catalog::Context& context) const = 0;
};

// What the services have must outlive it.
std::unique_ptr<DatasetReader> make_dataset_reader(Services services);

// The definitions of get_catalog, get_schema, query and query_data, as they are without any dataset.
struct ReaderTools {
  protocol::Tool list;
  protocol::Tool schema;
  protocol::Tool sql;
  protocol::Tool query;
};
ReaderTools reader_tools();

}  // namespace sluice::datasets
