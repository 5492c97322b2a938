#include "record_tools.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/name.h"

namespace sluice::records_provider {

namespace {

constexpr std::chrono::seconds kAnswerTime{1};
constexpr std::size_t kNamesCompared = 2'000;

}  // namespace

Result<std::shared_ptr<records::DataType>> RecordTools::find(std::string_view name) const {
  SLUICE_CHECK(records::check_data_type(name));
  Result<std::shared_ptr<records::DataType>> found = store().find(name);
  if (found.ok() || found.error().kind != ErrorKind::kNotFound) return found;
  Result<std::vector<std::string>> names = store().data_types();
  if (!names.ok()) return found;
  names->resize(std::min(names->size(), kNamesCompared));
  const std::string nearest = nearest_name(name, *names);
  const std::string guess = nearest.empty() ? "" : fmt::format("Did you mean {}? ", excerpt(nearest));
  return std::move(found).error().with_hint(guess + "list_data_types lists what there is.");
}

Result<Subject> RecordTools::open(std::string_view name, const catalog::Context& context) const {
  Subject subject;
  SLUICE_TRY(subject.data_type, find(name));
  SLUICE_TRY(subject.view, subject.data_type->view(limits_of(context)));
  return subject;
}

Result<Subject> RecordTools::open(const json::Object& arguments, const catalog::Context& context) const {
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("data_type"));
  return open(name, context);
}

std::optional<records::SchemaFile> RecordTools::declared(std::string_view data_type) const {
  Result<std::optional<records::SchemaFile>> file = records::read_schema_file(store().root(), data_type);
  return file.ok() ? *std::move(file) : std::nullopt;
}

engine::RunLimits limits_of(const catalog::Context& context) {
  const Monotonic deadline = context.deadline();
  const Monotonic now = system_clock().now();
  if (deadline == Monotonic::max() || deadline <= now) return {.deadline = deadline, .stop = context.stop()};
  const Monotonic::duration margin = std::min<Monotonic::duration>(kAnswerTime, (deadline - now) / 10);
  return {.deadline = deadline - margin, .stop = context.stop()};
}

}  // namespace sluice::records_provider
