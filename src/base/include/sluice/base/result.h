#pragma once

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "sluice/base/error.h"

namespace sluice {

template <typename T>
class Result;

// A Result converts to bool explicitly, which would be enough to construct Result<bool> from a failed Status.
template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;

// A value or the Error that prevented it. Everything that input, data, a peer or a clock can cause travels in
// one.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: return value;
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: return error;
  template <typename U>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error> && !kIsResult<std::remove_cvref_t<U>>)
      // NOLINTNEXTLINE(google-explicit-constructor): return value;
      Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const& {
    assert(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: return error;

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& {
    assert(!ok());
    return *error_;
  }
  Error&& error() && {
    assert(!ok());
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace sluice

#define SLUICE_CONCAT_INNER(a, b) a##b
#define SLUICE_CONCAT(a, b) SLUICE_CONCAT_INNER(a, b)

// SLUICE_TRY(const Table table, engine.find_table(uri)): declares `table`, or returns the error.
#define SLUICE_TRY(declaration, ...) \
  SLUICE_TRY_NAMED(SLUICE_CONCAT(sluice_result_, __COUNTER__), declaration, __VA_ARGS__)
#define SLUICE_TRY_NAMED(result, declaration, ...)    \
  auto result = (__VA_ARGS__);                        \
  if (!result.ok()) return std::move(result).error(); \
  declaration = std::move(result).value()

// SLUICE_CHECK(check_name(name)): returns the error of a Status, if there is one.
#define SLUICE_CHECK(...)                                          \
  do {                                                             \
    if (auto sluice_status = (__VA_ARGS__); !sluice_status.ok()) { \
      return std::move(sluice_status).error();                     \
    }                                                              \
  } while (false)
