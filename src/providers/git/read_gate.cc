#include "read_gate.h"

#include <memory>

#include <git2/sys/odb_backend.h>

namespace sluice::git {

namespace {

constexpr int kPackPriority = 2;  // Most objects are packed.
constexpr int kLoosePriority = 1;

// A backend of libgit2 that asks the gate before it reads from another.
struct GatedBackend {
  git_odb_backend base;  // First: libgit2 knows this part alone.
  git_odb_backend* inner;
  ReadGate* gate;
};

GatedBackend& self(git_odb_backend* backend) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): `base` is the first member.
  return *reinterpret_cast<GatedBackend*>(backend);
}

int admit(GatedBackend& backend, const git_oid* id) {
  if (!backend.gate->has_time()) return GIT_EUSER;
  std::size_t bytes = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const int code = backend.inner->read_header(&bytes, &type, backend.inner, id);
  if (code < 0) return code;
  if (bytes <= kObjectBytesMax) return 0;
  backend.gate->refuse_large();
  return GIT_EUSER;
}

int read_object(void** data, std::size_t* bytes, git_object_t* type, git_odb_backend* backend,
                const git_oid* id) {
  GatedBackend& gated = self(backend);
  const int code = admit(gated, id);
  return code < 0 ? code : gated.inner->read(data, bytes, type, gated.inner, id);
}

int read_prefix(git_oid* found, void** data, std::size_t* bytes, git_object_t* type, git_odb_backend* backend,
                const git_oid* prefix, std::size_t digits) {
  GatedBackend& gated = self(backend);
  int code = gated.inner->exists_prefix(found, gated.inner, prefix, digits);
  if (code < 0) return code;
  code = admit(gated, found);
  return code < 0 ? code : gated.inner->read(data, bytes, type, gated.inner, found);
}

int read_header(std::size_t* bytes, git_object_t* type, git_odb_backend* backend, const git_oid* id) {
  GatedBackend& gated = self(backend);
  if (!gated.gate->has_time()) return GIT_EUSER;
  return gated.inner->read_header(bytes, type, gated.inner, id);
}

int exists(git_odb_backend* backend, const git_oid* id) {
  GatedBackend& gated = self(backend);
  return gated.inner->exists(gated.inner, id);
}

int exists_prefix(git_oid* found, git_odb_backend* backend, const git_oid* prefix, std::size_t digits) {
  GatedBackend& gated = self(backend);
  return gated.inner->exists_prefix(found, gated.inner, prefix, digits);
}

int refresh(git_odb_backend* backend) {
  GatedBackend& gated = self(backend);
  return gated.inner->refresh == nullptr ? 0 : gated.inner->refresh(gated.inner);
}

void release(git_odb_backend* backend) {
  const std::unique_ptr<GatedBackend> gated(&self(backend));
  gated->inner->free(gated->inner);
}

int add_gated(git_odb& odb, git_odb_backend* inner, int priority, ReadGate& gate) {
  auto gated = std::make_unique<GatedBackend>();
  const int code = git_odb_init_backend(&gated->base, GIT_ODB_BACKEND_VERSION);
  if (code < 0) {
    inner->free(inner);
    return code;
  }
  gated->inner = inner;
  gated->gate = &gate;
  gated->base.read = read_object;
  gated->base.read_prefix = read_prefix;
  gated->base.read_header = read_header;
  gated->base.exists = exists;
  gated->base.exists_prefix = exists_prefix;
  gated->base.refresh = refresh;
  gated->base.free = release;
  const int added = git_odb_add_backend(&odb, &gated->base, priority);
  if (added < 0) {
    inner->free(inner);
    return added;
  }
  [[maybe_unused]] const GatedBackend* given = gated.release();  // The database frees it.
  return 0;
}

}  // namespace

bool ReadGate::has_time() {
  if (closed_by_ == Reason::kStopped || closed_by_ == Reason::kLate) return false;
  if (stop_.stop_requested()) {
    closed_by_ = Reason::kStopped;
  } else if (system_clock().now() >= deadline_) {
    closed_by_ = Reason::kLate;
  } else {
    return true;
  }
  return false;
}

Status ReadGate::status() const {
  switch (closed_by_) {
    case Reason::kNone:
      return {};
    case Reason::kStopped:
      return cancelled();
    case Reason::kLate:
      return deadline_exceeded();
    case Reason::kTooLarge:
      return limit_reached("bytes of an object of a repository", kObjectBytesMax);
  }
  return {};
}

int open_objects(const std::string& objects_folder, ReadGate& gate, OdbHandle& out) {
  int code = take(out, [](git_odb** odb) { return git_odb_new(odb); });
  if (code < 0) return code;
  git_odb_backend* inner = nullptr;
  code = git_odb_backend_pack(&inner, objects_folder.c_str());
  if (code < 0) return code;
  code = add_gated(*out, inner, kPackPriority, gate);
  if (code < 0) return code;
  code = git_odb_backend_loose(&inner, objects_folder.c_str(), -1, 0, 0, 0);
  if (code < 0) return code;
  return add_gated(*out, inner, kLoosePriority, gate);
}

}  // namespace sluice::git
