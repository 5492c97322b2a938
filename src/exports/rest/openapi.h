#pragma once

#include "sluice/datasets/dataset_reader.h"
#include "sluice/exports/routes.h"
#include "sluice/json/value.h"

namespace sluice::exports {

// The schemas of what POST /query takes: a statement of SQL, or the arguments of query_data. Names of the
// dimensions of collections are further members of the latter.
json::Object sql_body_schema(const datasets::ReaderTools& tools);
json::Object question_body_schema(const datasets::ReaderTools& tools);

// The REST interface as an OpenAPI 3.1 document, made of the schemas of the tools that answer. It names no
// data.
json::Object openapi_document(const datasets::ReaderTools& tools, const RestOptions& options);

}  // namespace sluice::exports
