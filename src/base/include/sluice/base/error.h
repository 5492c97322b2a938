#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Who can act on a failure. Nothing else about an error may be branched on.
enum class ErrorKind : std::uint8_t {
  kInvalidInput,       // The caller sent something wrong and can correct it.
  kNotFound,           // The named thing does not exist (or is not the caller's).
  kUnauthenticated,    // The caller has not said who it is, or the credentials are wrong.
  kForbidden,          // The caller is known and may not do this.
  kLimitReached,       // A ceiling set by the operator was hit.
  kUnavailable,        // Something we depend on does not answer; trying again may help.
  kConflict,           // The state changed under the caller.
  kCancelled,          // The caller asked to stop.
  kDeadline,           // Time ran out.
  kMissingCapability,  // The client cannot do what the handler needs; `data` names the capability.
  kInputRequired,      // A question is waiting for the client's answer; the handler must return at once.
  kUnsupported,        // The method, version or feature does not exist here.
  kInternal,           // A bug or a broken environment.
};

// The stable, lower-case name of a kind, e.g. "invalid_input": the default of Error::code.
std::string_view to_string(ErrorKind kind);

// A failure. `message` says what was attempted and ends with the value. `code` is stable and documented,
// `hint` says what to do next, `data` is a JSON object as text that goes to the peer unchanged, or empty.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
  std::string code;
  std::string hint;
  std::string data;

  Error with_code(std::string_view value) &&;
  Error with_hint(std::string_view value) &&;
  Error with_data(std::string value) &&;
};

Error make_error(ErrorKind kind, std::string_view message);
Error invalid_input(std::string_view message);
Error not_found(std::string_view message);
Error forbidden(std::string_view message);
Error unauthenticated(std::string_view message);
Error unavailable(std::string_view message);
Error conflict(std::string_view message);
Error unsupported(std::string_view message);
Error internal_error(std::string_view message);
Error cancelled();
Error deadline_exceeded();
// "rows in one page: at most 5000".
Error limit_reached(std::string_view what, std::uint64_t limit);

}  // namespace sluice
