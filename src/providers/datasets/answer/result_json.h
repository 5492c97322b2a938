#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/protocol/model/tool.h"

#include "dataset_tools.h"

// The answers of the query tools as the objects that agents read: status, handle and warnings first, rows
// last.
namespace sluice::datasets {

// What is left for rows beside everything else in the object.
Budget within_envelope(Budget budget);

// What a snapshot's answer says beside its rows.
struct FileFacts {
  std::optional<std::uint64_t> bytes;  // Of the file that was made of it.
  std::optional<Download> download;    // A link to it, for callers who can follow one.
  bool with_file_path = false;         // Adds the member `file_path`, for old clients.
};
json::Object download_json(const Download& download);

Result<protocol::ToolResult> answer_result(const DatasetTools& tools, const query::AnswerRequest& request,
                                           query::Answer answer, const FileFacts& file);

// What estimate_query has found out.
struct Measurement {
  query::Estimate estimate;
  bool fits_inline = false;
  std::vector<std::string> warnings;
  std::string preview;  // A JSON array.
  json::Array alternatives;
};
protocol::ToolResult estimate_result(const Measurement& measurement, const Budget& budget);
protocol::ToolResult page_result(const DatasetTools& tools, const query::Snapshot& snapshot,
                                 const query::PageRequest& request, const query::Page& page,
                                 std::vector<std::string> warnings);
// The rows from `offset` on that fit the budget as JSON, as a resource to be read in a binary format.
struct FilePageRequest {
  std::uint64_t offset = 0;
  Budget budget;
  query::Format format = query::Format::kParquet;
};
Result<protocol::ToolResult> page_file_result(const DatasetTools& tools, engine::Engine& engine,
                                              const query::Snapshot& snapshot, const FilePageRequest& request,
                                              const std::vector<std::string>& warnings,
                                              const catalog::Context& context);

// Where the next page begins, as text that a client carries and cannot change.
std::string page_token(const DatasetTools& tools, std::string_view handle, std::uint64_t offset);
Result<std::uint64_t> read_page_token(const DatasetTools& tools, std::string_view handle,
                                      std::string_view token);

// A page of rows, a range of rows, and all rows as one file.
std::string handle_uri(const query::Snapshot& snapshot, std::uint64_t page, query::Format format);
std::string rows_uri(const query::Snapshot& snapshot, std::uint64_t offset, std::uint64_t length,
                     query::Format format);
std::string file_uri(const query::Snapshot& snapshot, query::Format format);

// A short name of a question, for logs: equal questions have equal digests.
std::string plan_digest(const expression::Question& question);

}  // namespace sluice::datasets
