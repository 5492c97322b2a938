#pragma once

#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/catalog/context.h"
#include "sluice/ckan/file_questions.h"
#include "sluice/protocol/model/tool.h"

#include "answer/table_form.h"
#include "files/file_store.h"
#include "portal/portal_api.h"

namespace sluice::ckan {

inline constexpr std::string_view kQueryFile = "ckan_query_file";

// The tool that queries a portal's file as a dataset. Any thread.
class FileQueries {
 public:
  // `api` must outlive it.
  static Result<std::unique_ptr<FileQueries>> create(PortalApi& api, FileQuestions questions);

  const protocol::Tool& tool() const { return tool_; }
  Result<protocol::ToolResult> call(const json::Object& arguments, catalog::Context& context);

 private:
  // A file that can be read as a table: as it came, or out of an archive. Immutable.
  struct Prepared {
    std::shared_ptr<const OwnFile> file;  // Shared with the download it came in.
    TableForm form;
    std::string member;  // Of an archive; empty where there is none.
  };
  using PreparedPtr = std::shared_ptr<const Prepared>;  // The cache, and calls that read it.
  struct FileRequest {
    fetch::Url url;
    std::string resource;
    Stated stated;
    std::string member;
  };

  FileQueries(PortalApi& api, FileQuestions questions, std::unique_ptr<FileStore> store);
  protocol::Tool make_tool() const;
  Result<FileRequest> find(const json::Object& arguments, const Caller& caller) const;
  Result<PreparedPtr> prepare(const FileRequest& wanted, const Download& download,
                              const std::stop_token& stop) const;
  Result<PreparedPtr> unpack(const FileRequest& wanted, const Download& download,
                             const std::stop_token& stop) const;
  Result<query::DatasetPtr> dataset_of(const FileRequest& wanted, const Prepared& prepared,
                                       const std::string& version) const;
  // Looks at the columns of a file whose beginning is there.
  void look_ahead(const FileRequest& wanted, const std::shared_ptr<const OwnFile>& beginning,
                  const std::string& version, const catalog::Context& context) const;
  Result<protocol::ToolResult> answer(const FileRequest& wanted, const Prepared& prepared,
                                      const json::Object& arguments, catalog::Context& context) const;
  json::Object question_of(const json::Object& arguments) const;

  PortalApi& api_;
  const FileQuestions questions_;
  const std::unique_ptr<FileStore> store_;
  const protocol::Tool tool_;
  cache::Cache<PreparedPtr> prepared_;
};

}  // namespace sluice::ckan
