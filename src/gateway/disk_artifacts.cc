#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/file_moves.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"

#include "artifact_error.h"

namespace sluice::gateway {
namespace {

constexpr std::string_view kBytesEnding = ".bin";
constexpr std::string_view kNoteEnding = ".json";
constexpr std::size_t kNoteBytesMax = 64 * 1024;

// The owner's name is not a file name; what stands for it is.
std::string stem_of(const ArtifactIndex::Key& key) {
  std::string owner;
  constexpr std::size_t kOwnerBytes = 8;
  for (const char byte : crypto::sha256(key.first).substr(0, kOwnerBytes))
    owner += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return owner + "-" + key.second;
}

std::string note_of(const Principal& owner, const ArtifactRef& artifact, WallTime expires) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(expires.time_since_epoch()).count();
  json::Object note = to_json(artifact);
  note.set("owner", owner.id);
  note.set("namespace", artifact.name_space);
  note.set("source", artifact.source);
  note.set("expires", seconds);
  return json::to_text(note);
}

struct Noted {
  Principal owner;
  ArtifactRef artifact;
  WallTime expires;
};

Result<Noted> read_note(const fs::Root& root, const std::string& name) {
  SLUICE_TRY(const fs::File file, root.open_beneath(name));
  SLUICE_TRY(const std::string text, file.read_all(kNoteBytesMax));
  SLUICE_TRY(const json::Value value, json::read(text));
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "artifact"));
  Noted out;
  SLUICE_TRY(out.owner.id, in.required_string("owner"));
  SLUICE_TRY(out.artifact.id, in.required_string("id"));
  SLUICE_TRY(out.artifact.mime_type, in.required_string("mime_type"));
  SLUICE_TRY(out.artifact.filename, in.required_string("filename"));
  SLUICE_TRY(out.artifact.sha256, in.required_string("sha256"));
  SLUICE_TRY(out.artifact.name_space, in.required_string("namespace"));
  SLUICE_TRY(out.artifact.source, in.required_string("source"));
  SLUICE_TRY(const std::optional<std::int64_t> bytes, in.optional_int("size_bytes"));
  SLUICE_TRY(const std::optional<std::int64_t> expires, in.optional_int("expires"));
  out.artifact.size_bytes = static_cast<std::uint64_t>(bytes.value_or(0));
  out.expires = WallTime(std::chrono::seconds(expires.value_or(0)));
  return out;
}

}  // namespace

DiskArtifactStore::DiskArtifactStore(fs::PrivateFolder folder, ArtifactBounds bounds, const Clock& clock)
    : folder_(std::move(folder)), bytes_max_(bounds.artifact_bytes_max), index_(clock, bounds) {}

Result<std::shared_ptr<DiskArtifactStore>> DiskArtifactStore::open(const std::string& folder,
                                                                   ArtifactBounds bounds,
                                                                   const Clock& clock) {
  SLUICE_TRY(fs::PrivateFolder opened, fs::PrivateFolder::open(folder));
  std::shared_ptr<DiskArtifactStore> store(new DiskArtifactStore(std::move(opened), bounds, clock));
  const MutexLock lock(store->mutex_);
  SLUICE_CHECK(store->load());
  return store;
}

// A note without its bytes, or bytes without their note, is what a crash has left.
Status DiskArtifactStore::load() {
  const fs::Root& root = folder_.root();
  SLUICE_TRY(const std::size_t left, fs::remove_temporaries(root, ""));
  if (left > 0) log::info("artifacts.cleaned", {{"files", left}});
  SLUICE_TRY(const fs::Listing listing, root.list(""));
  for (const fs::Entry& entry : listing.entries) {
    const std::string& name = entry.name;
    if (name.ends_with(kBytesEnding)) {
      const std::string note = name.substr(0, name.size() - kBytesEnding.size()) + std::string(kNoteEnding);
      if (!root.stat(note).ok()) SLUICE_CHECK(fs::remove_file(root, name));
      continue;
    }
    if (!name.ends_with(kNoteEnding)) continue;
    const std::string bytes = name.substr(0, name.size() - kNoteEnding.size()) + std::string(kBytesEnding);
    const Result<Noted> noted = read_note(root, name);
    const Result<fs::Entry> kept = root.stat(bytes);
    const bool is_whole = noted.ok() && kept.ok() && kept->bytes == noted->artifact.size_bytes &&
                          stem_of({noted->owner.id, noted->artifact.id}) + std::string(kNoteEnding) == name;
    if (!is_whole) {
      SLUICE_CHECK(fs::remove_file(root, name));
      SLUICE_CHECK(fs::remove_file(root, bytes));
      continue;
    }
    drop(index_.add(noted->owner, noted->artifact, noted->expires));
  }
  drop(index_.expire());
  return {};
}

void DiskArtifactStore::drop(const std::vector<ArtifactIndex::Key>& keys) {
  for (const ArtifactIndex::Key& key : keys) {
    const std::string stem = stem_of(key);
    for (const std::string_view ending : {kNoteEnding, kBytesEnding}) {
      const Status removed = fs::remove_file(folder_.root(), stem + std::string(ending));
      if (!removed.ok()) log::warning("artifacts.not_removed", {{"reason", removed.error().message}});
    }
  }
}

Result<ArtifactRef> DiskArtifactStore::put(const Principal& owner, std::string_view bytes,
                                           const NewArtifact& details) {
  const MutexLock lock(mutex_);
  SLUICE_TRY(ArtifactRef artifact, index_.name(owner, bytes, details));
  const std::string stem = stem_of({owner.id, artifact.id});
  const WallTime expires = index_.expiry();
  const bool is_kept = index_.find(owner, artifact.id) != nullptr;
  // The note is the commit: it comes last, and it goes first.
  if (!is_kept) SLUICE_CHECK(fs::replace_file(folder_.root(), stem + std::string(kBytesEnding), bytes));
  SLUICE_CHECK(
      fs::replace_file(folder_.root(), stem + std::string(kNoteEnding), note_of(owner, artifact, expires)));
  drop(index_.add(owner, artifact, expires));
  return artifact;
}

Result<ArtifactRef> DiskArtifactStore::find(const Principal& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  const ArtifactIndex::Entry* entry = index_.find(owner, id);
  if (entry == nullptr) return unknown_artifact(id);
  return entry->artifact;
}

Result<std::string> DiskArtifactStore::read(const Principal& owner, std::string_view id) {
  SLUICE_TRY(const ArtifactRef artifact, find(owner, id));
  const Result<fs::File> file =
      folder_.root().open_beneath(stem_of({owner.id, artifact.id}) + std::string(kBytesEnding));
  if (!file.ok()) return unknown_artifact(id);
  return file->read_all(bytes_max_);
}

std::vector<ArtifactRef> DiskArtifactStore::list(const Principal& owner, std::string_view after,
                                                 std::size_t limit) {
  const MutexLock lock(mutex_);
  return index_.list(owner, after, limit);
}

}  // namespace sluice::gateway
