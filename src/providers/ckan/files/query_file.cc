#include "files/query_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/background_thread.h"
#include "sluice/base/text.h"
#include "sluice/contents/body_media.h"
#include "sluice/contents/resource_path.h"
#include "sluice/crypto/random.h"
#include "sluice/json/schema_words.h"

#include "files/archive.h"
#include "portal/portal_text.h"
#include "tools/arguments.h"

namespace sluice::ckan {

namespace {

constexpr std::chrono::hours kLifetime{24};
constexpr std::size_t kDetectionBytes = 64 * 1024;
constexpr std::size_t kNamesShown = 20;
constexpr std::uint64_t kBufferBytes = std::uint64_t{4} << 20U;

bool is_whole_number(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  return type != nullptr && type->if_string() != nullptr && *type->if_string() == "integer";
}

// Numbers may be written as text here too.
json::Object lenient(const json::Object& properties) {
  json::Object out;
  for (const json::Member& member : properties) {
    json::Value schema = member.value;
    if (is_whole_number(schema)) {
      schema.if_object()->set("type", json::Array{"integer", "string"});
      schema.if_object()->set("pattern", "^[0-9]{1,18}$");
    }
    out.set(member.key, std::move(schema));
  }
  return out;
}

Error which_table(const std::vector<ArchiveEntry>& tables) {
  std::string names;
  for (std::size_t i = 0; i < tables.size() && i < kNamesShown; ++i)
    names += (i == 0 ? "" : ", ") + excerpt(tables[i].name);
  return invalid_input(fmt::format("The archive has {} tables: {}", tables.size(), names))
      .with_code("ambiguous_archive")
      .with_hint("Name one of them as `member`.");
}

Result<ArchiveEntry> choose(const fs::File& file, const std::string& member) {
  SLUICE_TRY(std::vector<ArchiveEntry> entries, list_archive(file));
  if (!member.empty()) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const ArchiveEntry& each) {
      return excerpt(each.name) == excerpt(member);
    });
    if (found != entries.end()) return *found;
    return not_found(fmt::format("The archive has no such file: {}", excerpt(member)))
        .with_code("ambiguous_archive")
        .with_hint("Leave `member` out to see which there are.");
  }
  std::erase_if(entries, [](const ArchiveEntry& each) { return !is_table_name(each.name); });
  if (entries.size() == 1) return entries.front();
  if (entries.empty())
    return invalid_input("The archive has no table in it")
        .with_code("unsupported_file")
        .with_hint("CSV, TSV, JSON, NDJSON and Parquet are read.");
  return which_table(entries);
}

}  // namespace

FileQueries::FileQueries(PortalApi& api, FileQuestions questions, std::unique_ptr<FileStore> store)
    : api_(api),
      questions_(std::move(questions)),
      store_(std::move(store)),
      tool_(make_tool()),
      prepared_(api.clock(), {.entries_max = kCacheEntriesMax, .bytes_max = questions_.bytes_max}) {}

Result<std::unique_ptr<FileQueries>> FileQueries::create(PortalApi& api, FileQuestions questions) {
  SLUICE_TRY(std::unique_ptr<FileStore> store,
             FileStore::create(api, {.folder = questions.folder, .bytes_max = questions.bytes_max}));
  return std::unique_ptr<FileQueries>(new FileQueries(api, std::move(questions), std::move(store)));
}

protocol::Tool FileQueries::make_tool() const {
  json::Object properties{
      {"server_url", json::schema::text("URL or host of a CKAN portal")},
      {"resource_id", json::schema::text("From ckan_list_resources")},
      {"member", json::schema::text("Which file, where the resource is a zip with several")},
      {"estimate", json::schema::described(json::schema::flag(), "Only measure the answer")}};
  for (const json::Member& member : lenient(questions_.properties)) properties.set(member.key, member.value);
  protocol::Tool tool;
  tool.name = std::string(kQueryFile);
  tool.title = "Query a file of a portal";
  tool.description =
      "Rows of a resource that is not in the DataStore: its CSV, TSV, JSON or Parquet file, also zipped, is "
      "downloaded and queried with the arguments of query_data.";
  tool.input_schema = json::Object{{"type", "object"},
                                   {"properties", std::move(properties)},
                                   {"required", json::Array{"server_url", "resource_id"}},
                                   {"additionalProperties", false}};
  tool.output_schema = json::Object{{"type", "object"}};
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = true};
  return tool;
}

Result<FileQueries::FileRequest> FileQueries::find(const json::Object& arguments,
                                                   const Caller& caller) const {
  const Arguments in(arguments);
  SLUICE_TRY(const PortalPtr portal, api_.directory().find_url(in.text("server_url")));
  FileRequest out;
  out.resource = in.text("resource_id");
  out.member = in.text("member");
  if (!is_portal_name(out.resource))
    return invalid_input("arguments.resource_id: not an id").with_code("invalid_arguments");
  SLUICE_TRY(const ActionResultPtr result,
             api_.get(*portal, "resource_show", {{"id", out.resource}}, caller));
  const Result<fetch::Url> url = fetch::Url::parse(text_of(result->value, "url"));
  if (!url.ok())
    return unavailable("The portal has no http URL for this resource")
        .with_code("ckan_file_failed")
        .with_hint("Choose another resource of the dataset.");
  out.url = *url;
  out.stated.format = text_of(result->value, "format");
  out.stated.name = std::string(contents::last_name(url->path()));
  return out;
}

Result<FileQueries::PreparedPtr> FileQueries::unpack(const FileRequest& wanted, const Download& download,
                                                     const std::stop_token& stop) const {
  SLUICE_TRY(const fs::File packed, download.file->open());
  SLUICE_TRY(const ArchiveEntry entry, choose(packed, wanted.member));
  const std::string name = crypto::random_token();
  SLUICE_TRY(fs::FileWriter writer, store_->folder()->create(name));
  auto out = std::make_shared<Prepared>();
  out->file = std::make_shared<const OwnFile>(store_->folder(), name);
  out->member = entry.name;
  SLUICE_CHECK(extract(packed, entry, api_.spec().file_bytes_max, writer, stop));
  SLUICE_TRY(const fs::File file, out->file->open());
  SLUICE_TRY(const std::string beginning, file.read_at(0, kDetectionBytes));
  SLUICE_TRY(out->form, form_of(beginning, {.format = {}, .name = entry.name, .charset = {}}));
  if (out->form.container != Container::kNone)
    return invalid_input("The archive holds another archive").with_code("unsupported_file");
  return PreparedPtr(std::move(out));
}

Result<FileQueries::PreparedPtr> FileQueries::prepare(const FileRequest& wanted, const Download& download,
                                                      const std::stop_token& stop) const {
  SLUICE_TRY(const fs::File file, download.file->open());
  SLUICE_TRY(const std::string beginning, file.read_at(0, kDetectionBytes));
  Stated stated = wanted.stated;
  stated.charset = contents::parse_content_type(download.type).charset;
  SLUICE_TRY(TableForm form, form_of(beginning, stated));
  if (form.container == Container::kZip) return unpack(wanted, download, stop);
  return PreparedPtr(std::make_shared<const Prepared>(
      Prepared{.file = download.file, .form = std::move(form), .member = {}}));
}

Result<query::DatasetPtr> FileQueries::dataset_of(const FileRequest& wanted, const Prepared& prepared,
                                                  const std::string& version) const {
  SLUICE_TRY(const fs::File file, prepared.file->open());
  SLUICE_TRY(const fs::FileStatus status, file.status());
  auto collection = std::make_shared<query::Collection>(*questions_.collection);
  collection->encoding = prepared.form.encoding;
  query::Dataset::Identity identity{
      .collection = std::move(collection),
      .name = excerpt(fmt::format("{}/{}", wanted.url.host(), wanted.resource), 200),
      .dimensions = {},
      .path = prepared.file->name(),
      .bytes = status.bytes,
      .modified = status.modified,
      .version = version};
  SLUICE_TRY(fs::Root root, fs::Root::open(prepared.file->folder().path()));
  auto form = static_cast<const query::FileForm&>(prepared.form.kind);  // Without its name.
  form.buffer_bytes = kBufferBytes;
  form.is_read_once = true;  // A copy would take more memory than reading a file from elsewhere may.
  return query::DatasetPtr(std::make_shared<const query::FileDataset>(
      std::move(identity), std::make_shared<const fs::Root>(std::move(root)), form, questions_.copies));
}

// Only plain text in UTF-8: what has to be converted or unpacked is looked at when all of it is there. A
// failure is none: then the whole file is looked at.
void FileQueries::look_ahead(const FileRequest& wanted, const std::shared_ptr<const OwnFile>& beginning,
                             const std::string& version, const catalog::Context& context) const {
  const Result<fs::File> file = beginning->open();
  if (!file.ok()) return;
  const Result<std::string> bytes = file->read_at(0, kDetectionBytes);
  if (!bytes.ok()) return;
  const Result<TableForm> form = form_of(*bytes, wanted.stated);
  const bool is_csv =
      form.ok() && form->container == Container::kNone && form->encoding.empty() &&
      form->kind.compression == query::Compression::kNone &&
      (form->kind.format == query::FileFormat::kCsv || form->kind.format == query::FileFormat::kTsv);
  if (!is_csv || bytes->starts_with("\xFF\xFE") || bytes->starts_with("\xFE\xFF")) return;
  const Result<query::DatasetPtr> dataset =
      dataset_of(wanted, {.file = beginning, .form = *form, .member = {}}, version);
  if (dataset.ok()) (void)questions_.prepare(*dataset, context);
}

json::Object FileQueries::question_of(const json::Object& arguments) const {
  json::Object out;
  for (const json::Member& member : arguments) {
    const json::Value* schema = questions_.properties.find(member.key);
    if (schema == nullptr) continue;
    const std::string* text = member.value.if_string();
    if (text != nullptr && is_whole_number(*schema)) {
      out.set(member.key, json::Number{*text});
    } else {
      out.set(member.key, member.value);
    }
  }
  return out;
}

Result<protocol::ToolResult> FileQueries::answer(const FileRequest& wanted, const Prepared& prepared,
                                                 const json::Object& arguments,
                                                 catalog::Context& context) const {
  const FileQuestions::Function& ask =
      Arguments(arguments).flag("estimate") ? questions_.estimate : questions_.ask;
  const json::Object question = question_of(arguments);
  const std::string& name = prepared.file->name();
  SLUICE_TRY(const query::DatasetPtr dataset, dataset_of(wanted, prepared, name));
  Result<protocol::ToolResult> result = ask(dataset, question, context);
  if (result.ok() || result.error().code != "unreadable_file") return result;
  // What the beginning of a large file looks like may not hold for the rest: then more of it decides.
  SLUICE_TRY(const query::DatasetPtr again, dataset_of(wanted, prepared, name + "-whole"));
  return ask(again, question, context);
}

Result<protocol::ToolResult> FileQueries::call(const json::Object& arguments, catalog::Context& context) {
  SLUICE_TRY(const FileRequest wanted, find(arguments, caller_of(context)));
  BackgroundThread ahead;  // Before what it uses goes, it ends.
  FileStore::OnBeginning on_beginning;
  if (questions_.prepare) {
    on_beginning = [&](const std::shared_ptr<const OwnFile>& beginning, const std::string& version) {
      ahead = BackgroundThread("ckan-look-ahead",
                               [this, &wanted, &context, beginning, version](const std::stop_token&) {
                                 look_ahead(wanted, beginning, version, context);
                               });
    };
  }
  SLUICE_TRY(const DownloadPtr download, store_->get(wanted.url, context, on_beginning));
  ahead.end();
  const cache::Key key{.scope = cache::Scope::shared(), .text = download->file->name() + " " + wanted.member};
  const auto load = [&](const std::stop_token& stop) -> Result<cache::Loaded<PreparedPtr>> {
    SLUICE_TRY(PreparedPtr made, prepare(wanted, *download, stop));
    std::uint64_t bytes = 0;
    if (made->file != download->file) {
      SLUICE_TRY(const fs::File file, made->file->open());
      SLUICE_TRY(const fs::FileStatus status, file.status());
      bytes = status.bytes;
    }
    return cache::Loaded<PreparedPtr>{
        .value = std::move(made), .bytes = static_cast<std::size_t>(bytes), .lifetime = kLifetime};
  };
  SLUICE_TRY(const cache::Cache<PreparedPtr>::Handle handle,
             prepared_.get_or_load(key, load, context.stop()));
  const PreparedPtr& prepared = *handle;  // The handle keeps its file while the question is answered.
  SLUICE_TRY(protocol::ToolResult result, answer(wanted, *prepared, arguments, context));
  json::Object about{{"bytes", download->bytes}, {"format", query::to_string(prepared->form.kind.format)}};
  if (!prepared->form.encoding.empty()) about.set("encoding", prepared->form.encoding);
  if (!prepared->member.empty()) about.set("member", encode_controls(excerpt(prepared->member)));
  result.meta.set("sluice/file", std::move(about));
  return result;
}

}  // namespace sluice::ckan
