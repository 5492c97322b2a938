#include "sluice/base/log.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::log {
namespace {

std::atomic<Level> g_level{Level::kInfo};

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("sluice", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
    case Level::kOff:
      return "off";
  }
  return "info";
}

std::string cleaned(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = std::min<std::size_t>(4, text.size() - at);
    while (length > 0 && !is_valid_utf8(text.substr(at, length))) --length;
    out += length > 0 ? text.substr(at, length) : "\xef\xbf\xbd";
    at += std::max<std::size_t>(1, length);
  }
  return out;
}

// The JSON writer lives above this module; a log line needs only strings. What is not UTF-8 would make the
// line unreadable as JSON, so it is shown byte by byte as the replacement character.
void append_quoted(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  const std::string clean = cleaned(text.substr(0, kLogTextBytesMax));
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out.push_back(c);
    }
  }
  if (text.size() > kLogTextBytesMax) out.append(std::string_view("…"));
  out.push_back('"');
}

}  // namespace

Field::Field(std::string_view name, double value)
    : key(name), text(fmt::format("{}", value)), is_text(!std::isfinite(value)) {}

void set_level(Level level) { g_level.store(level, std::memory_order_relaxed); }

bool enabled(Level level) { return level != Level::kOff && level >= g_level.load(std::memory_order_relaxed); }

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!enabled(level)) return;
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), R"({{"time":"{}","level":"{}","event":)",
                 format_utc(system_clock().wall()), name_of(level));
  append_quoted(line, event);
  for (const Field& field : fields) {
    line.push_back(',');
    append_quoted(line, field.key);
    line.push_back(':');
    if (field.is_text) {
      append_quoted(line, field.text);
    } else {
      line.append(field.text);
    }
  }
  line.push_back('}');
  logger().info(std::string_view(line.data(), line.size()));
}

}  // namespace sluice::log
