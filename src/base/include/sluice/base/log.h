#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice::log {

enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };

// One key of a log line. Text is escaped and cut at kLogTextBytesMax; numbers and booleans are written bare.
struct Field {
  Field(std::string_view name, std::string_view value) : key(name), text(value), is_text(true) {}
  Field(std::string_view name, const char* value) : Field(name, std::string_view(value)) {}
  Field(std::string_view name, const std::string& value) : Field(name, std::string_view(value)) {}
  Field(std::string_view name, bool value) : key(name), text(value ? "true" : "false") {}
  template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) Field(std::string_view name, T value)
      : key(name), text(std::to_string(value)) {}
  Field(std::string_view name, double value);  // Text where JSON has no number for it: "nan", "inf".

  std::string_view key;  // Kept alive by the call expression.
  std::string text;
  bool is_text = false;
};

// What is below `level` is dropped. Any thread.
void set_level(Level level);
bool enabled(Level level);

// One JSON object on one line of stderr: {"time":…,"level":…,"event":…,fields}. Any thread.
void write(Level level, std::string_view event, std::initializer_list<Field> fields);

inline void debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kDebug, event, fields);
}
inline void info(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kInfo, event, fields);
}
inline void warning(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kWarning, event, fields);
}
inline void error(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kError, event, fields);
}

}  // namespace sluice::log
