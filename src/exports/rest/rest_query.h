#pragma once

#include <string>

#include "sluice/datasets/dataset_reader.h"
#include "sluice/exports/routes.h"
#include "sluice/json/schema.h"
#include "sluice/json/value.h"
#include "sluice/protocol/exchange.h"

#include "access.h"

namespace sluice::exports {

// A question in a request of the REST interface.
struct RestQuestion {
  json::Object arguments;  // Of DatasetReader::open.
  FileFormat format = FileFormat::kCsv;
  bool has_byte_order_mark = false;
};

// Reads the questions of requests. Immutable; any thread.
class RestQuestionReader {
 public:
  static RestQuestionReader make(const datasets::ReaderTools& tools);

  // Of GET /query?sql=…&format=…&bom=…, or of the body of POST /query.
  Result<RestQuestion> read(const protocol::Inbound& inbound) const;

 private:
  RestQuestionReader(json::Schema statement, json::Schema question)
      : statement_(std::move(statement)), question_(std::move(question)) {}

  Result<json::Object> read_body(const std::string& body) const;

  json::Schema statement_;
  json::Schema question_;
};

// All rows of the question, in pieces; or, within the first piece, a problem.
protocol::Final answer_question(const RestQuestion& question, const RestOptions& options,
                                std::shared_ptr<const RowSource> source, const Access& caller,
                                const protocol::Exchange& exchange);

}  // namespace sluice::exports
