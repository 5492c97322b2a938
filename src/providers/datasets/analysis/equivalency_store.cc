#include "sluice/datasets/equivalency_store.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fs/durable.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kConceptsMax = 1'000;

Error unreadable(std::string_view why) {
  return make_error(ErrorKind::kUnavailable, fmt::format("read equivalencies: {}", why))
      .with_code("unreadable_equivalencies")
      .with_hint("The operator has to repair or remove the file that `equivalencies` names.");
}

Result<Equivalency> decode(const json::Value& value, const std::string& name) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, name));
  Equivalency out;
  SLUICE_TRY(out.collection, in.required_string("collection"));
  SLUICE_TRY(out.description, in.required_string("description"));
  SLUICE_TRY(out.created_at, in.required_string("created_at"));
  SLUICE_TRY(out.created_by, in.required_string("created_by"));
  SLUICE_TRY(const json::Array* codes, in.required_array("mappings"));
  for (const json::Value& one : *codes) {
    SLUICE_TRY(const json::ObjectReader code, json::ObjectReader::of(one, name + ".mappings"));
    Equivalency::Code& read = out.codes.emplace_back();
    SLUICE_TRY(read.place, code.required_string("place"));
    SLUICE_TRY(read.code, code.required_string("code"));
  }
  return out;
}

json::Object encode(const Equivalency& one) {
  json::Array codes;
  for (const Equivalency::Code& code : one.codes)
    codes.push_back(json::Object{{"place", code.place}, {"code", code.code}});
  return {{"collection", one.collection},
          {"description", one.description},
          {"mappings", std::move(codes)},
          {"created_at", one.created_at},
          {"created_by", one.created_by}};
}

Result<Equivalencies> decode_all(std::string_view text) {
  SLUICE_TRY(const json::Value file, json::read(text, {.bytes_max = kFileBytesMax}));
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(file, ""));
  SLUICE_TRY(const json::ObjectReader list, in.required_object("equivalencies"));
  Equivalencies out;
  for (const json::Member& one : list.object()) {
    SLUICE_TRY(Equivalency read, decode(one.value, one.key));
    out.emplace(one.key, std::move(read));
  }
  return out;
}

std::string encode_all(const Equivalencies& all) {
  json::Object list;
  for (const auto& [name, one] : all) list.append_unchecked(name, encode(one));
  return json::to_text(json::Object{{"version", 1}, {"equivalencies", std::move(list)}}) + "\n";
}

}  // namespace

Result<std::shared_ptr<EquivalencyStore>> EquivalencyStore::open(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string folder = file.parent_path().empty() ? "." : file.parent_path().string();
  Result<fs::Root> root = fs::Root::open(folder);
  if (!root.ok() || file.filename().empty()) {
    return not_found(fmt::format("open the folder of equivalencies: {}", folder))
        .with_code("folder_not_found")
        .with_hint("Make the folder, or let `equivalencies` name a file in one that exists.");
  }
  std::shared_ptr<EquivalencyStore> store(new EquivalencyStore(*std::move(root), file.filename().string()));
  SLUICE_TRY([[maybe_unused]] const Equivalencies there, store->read());
  return store;
}

Result<Equivalencies> EquivalencyStore::read() const {
  const Result<fs::File> file = folder_.open_beneath(name_);
  if (!file.ok() && file.error().kind == ErrorKind::kNotFound) return Equivalencies{};
  if (!file.ok()) return unreadable("the file cannot be opened");
  const Result<std::string> text = file->read_all(kFileBytesMax);
  if (!text.ok()) return unreadable("the file cannot be read, or is too large");
  Result<Equivalencies> all = decode_all(*text);
  if (!all.ok()) return unreadable(all.error().message);
  return all;
}

Result<Equivalencies> EquivalencyStore::all() const {
  const MutexLock lock(mutex_);
  return read();
}

Status EquivalencyStore::add(const Equivalencies& more, Existing existing) {
  const MutexLock lock(mutex_);
  SLUICE_TRY(Equivalencies all, read());
  for (const auto& [name, one] : more) {
    if (existing == Existing::kKeep && all.contains(name)) {
      return conflict(fmt::format("register an equivalency: there is one: {}", excerpt(name)))
          .with_code("equivalency_exists")
          .with_hint("Use another name, or replace: true.");
    }
    all.insert_or_assign(name, one);
  }
  const std::string text = encode_all(all);
  if (all.size() > kConceptsMax || text.size() > kFileBytesMax) {
    return limit_reached("equivalencies", kConceptsMax)
        .with_code("too_many_values")
        .with_hint("The operator has to remove some of those that are registered.");
  }
  Status status = fs::replace_file(folder_, name_, text);
  if (!status.ok()) {
    return make_error(ErrorKind::kUnavailable, "keep equivalencies: the file cannot be written")
        .with_code("equivalencies_not_kept")
        .with_hint("Nothing was registered. Try again, or ask the operator.");
  }
  return {};
}

}  // namespace sluice::datasets
