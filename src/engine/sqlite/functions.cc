#include "functions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/base/text.h"
#include "sluice/engine/sqlite.h"

#include "errors.h"
#include "values.h"

namespace sluice::engine::sqlite {

namespace {

// Of all medians and groups of a statement: 128 MB.
constexpr std::size_t kMedianValuesMax = 16'000'000;
constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

std::string_view argument_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void return_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Exceptions must not pass through SQLite.
template <typename Call>
void guarded(sqlite3_context* context, Call call) {
  try {
    call();
  } catch (...) {
    sqlite3_result_error_nomem(context);
  }
}

void call_text(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (is_null(values[0])) return;
  guarded(context, [&] {
    const auto* function = static_cast<const TextFunction*>(sqlite3_user_data(context));
    return_text(context, function->apply(argument_text(values[0])));
  });
}

void call_pair(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (is_null(values[0]) || is_null(values[1])) return;
  guarded(context, [&] {
    const auto* function = static_cast<const TextPairFunction*>(sqlite3_user_data(context));
    sqlite3_result_double(context, function->apply(argument_text(values[0]), argument_text(values[1])));
  });
}

using Match = std::function<bool(std::string_view)>;

void call_matcher(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (is_null(values[0]) || is_null(values[1])) return;
  guarded(context, [&] {
    // SQLite keeps what was made of a pattern as long as the pattern is the same constant.
    if (const auto* kept = static_cast<const Match*>(sqlite3_get_auxdata(context, 0))) {
      sqlite3_result_int(context, (*kept)(argument_text(values[1])) ? 1 : 0);
      return;
    }
    const auto* matcher = static_cast<const TextMatcher*>(sqlite3_user_data(context));
    Result<Match> match = matcher->compile(argument_text(values[0]));
    if (!match.ok()) {
      const std::string& message = match.error().message;
      sqlite3_result_error(context, message.data(), static_cast<int>(message.size()));
      return;
    }
    sqlite3_result_int(context, (*match)(argument_text(values[1])) ? 1 : 0);
    sqlite3_set_auxdata(context, 0, new Match(*std::move(match)),
                        [](void* kept) { delete static_cast<Match*>(kept); });
  });
}

using Numbers = std::vector<double>;

// SQLite gives zeroed memory for each group; what is kept there is the owner of the numbers.
void median_step(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const int type = sqlite3_value_numeric_type(values[0]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  auto** numbers = static_cast<Numbers**>(sqlite3_aggregate_context(context, sizeof(Numbers*)));
  if (numbers == nullptr) return sqlite3_result_error_nomem(context);
  auto* kept = static_cast<std::size_t*>(sqlite3_user_data(context));
  guarded(context, [&] {
    if (*numbers == nullptr) *numbers = new Numbers;
    if (*kept >= kMedianValuesMax) return sqlite3_result_error_toobig(context);
    (*numbers)->push_back(sqlite3_value_double(values[0]));
    ++*kept;
  });
}

void median_final(sqlite3_context* context) {
  auto** kept = static_cast<Numbers**>(sqlite3_aggregate_context(context, 0));
  if (kept == nullptr || *kept == nullptr) return;
  const std::unique_ptr<Numbers> numbers(*kept);
  *static_cast<std::size_t*>(sqlite3_user_data(context)) -= numbers->size();
  const auto middle = numbers->begin() + static_cast<std::ptrdiff_t>(numbers->size() / 2);
  std::nth_element(numbers->begin(), middle, numbers->end());
  if (numbers->size() % 2 == 1) return sqlite3_result_double(context, *middle);
  const double below = *std::max_element(numbers->begin(), middle);
  // Halves do not overflow, and an infinite value stays infinite.
  sqlite3_result_double(context, below == *middle ? below : below * 0.5 + *middle * 0.5);
}

// shown_text(x): what a column of text shows for a value of any kind.
void shown_text(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  guarded(context, [&] {
    switch (sqlite3_value_type(values[0])) {
      case SQLITE_NULL:
        return;
      case SQLITE_FLOAT:
        return return_text(context, real_text(sqlite3_value_double(values[0])));
      case SQLITE_BLOB: {
        const auto* bytes = static_cast<const char*>(sqlite3_value_blob(values[0]));
        const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
        return return_text(context, blob_text({bytes == nullptr ? "" : bytes, size}));
      }
      default:
        return return_text(context, argument_text(values[0]));
    }
  });
}

// fitting(x, type): x itself, or an error if a column of that type cannot hold it. Statements whose answer
// does not show the values use it, so that they fail instead of passing over a value.
void fitting(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const int kind = sqlite3_value_type(values[0]);
  const std::string_view type = argument_text(values[1]);
  const std::int64_t integer = kind == SQLITE_INTEGER ? sqlite3_value_int64(values[0]) : 0;
  const bool is_exact = integer <= kExactIntegerMax && integer >= -kExactIntegerMax;
  const bool fits = kind == SQLITE_NULL || (type == "integer" && kind == SQLITE_INTEGER) ||
                    (type == "boolean" && kind == SQLITE_INTEGER && (integer == 0 || integer == 1)) ||
                    (type == "real" && (kind == SQLITE_FLOAT || (kind == SQLITE_INTEGER && is_exact)));
  if (fits) return sqlite3_result_value(context, values[0]);
  sqlite3_result_error(context, std::string(kMisfit).c_str(), -1);
}

using Call = void (*)(sqlite3_context*, int, sqlite3_value**);

template <typename F>
Status register_as(sqlite3* connection, const F& function, int arguments, Call call) {
  auto owned = std::make_unique<F>(function);
  // It is destroyed with the connection, and where this call fails.
  const int code =
      sqlite3_create_function_v2(connection, function.name.c_str(), arguments, kFlags, owned.release(), call,
                                 nullptr, nullptr, [](void* kept) { delete static_cast<F*>(kept); });
  if (code != SQLITE_OK) return internal_error("register function: " + function.name);
  return {};
}

}  // namespace

Status register_functions(sqlite3* connection, const SqliteOptions& options,
                          std::set<std::string, std::less<>>& names) {
  // How many numbers medians keep now. A connection runs one statement at a time.
  auto kept = std::make_unique<std::size_t>(0);
  if (sqlite3_create_function_v2(connection, "median", 1, kFlags, kept.release(), nullptr, median_step,
                                 median_final,
                                 [](void* count) { delete static_cast<std::size_t*>(count); }) != SQLITE_OK) {
    return internal_error("register function: median");
  }
  names.insert("median");
  for (const auto& [name, arguments, call] :
       {std::tuple{"shown_text", 1, Call{shown_text}}, std::tuple{"fitting", 2, Call{fitting}}}) {
    if (sqlite3_create_function_v2(connection, name, arguments, kFlags, nullptr, call, nullptr, nullptr,
                                   nullptr) != SQLITE_OK) {
      return internal_error(std::string("register function: ") + name);
    }
    names.insert(name);
  }
  for (const TextFunction& function : options.functions) {
    SLUICE_CHECK(register_as(connection, function, 1, call_text));
    names.insert(to_lower_ascii(function.name));
  }
  for (const TextPairFunction& function : options.pair_functions) {
    SLUICE_CHECK(register_as(connection, function, 2, call_pair));
    names.insert(to_lower_ascii(function.name));
  }
  for (const TextMatcher& matcher : options.matchers) {
    SLUICE_CHECK(register_as(connection, matcher, 2, call_matcher));
    names.insert(to_lower_ascii(matcher.name));
  }
  return {};
}

}  // namespace sluice::engine::sqlite
