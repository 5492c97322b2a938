#include "sluice/json/reader.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::json {
namespace {

namespace bj = boost::json;

// The key that stands twice, or nothing.
const std::string* duplicate_key(const std::vector<Member>& members) {
  constexpr std::size_t kFewKeys = 12;
  if (members.size() <= kFewKeys) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (members[i].key == members[k].key) return &members[i].key;
      }
    }
    return nullptr;
  }
  std::vector<const std::string*> keys;
  keys.reserve(members.size());
  for (const Member& member : members) keys.push_back(&member.key);
  std::sort(keys.begin(), keys.end(), [](const std::string* a, const std::string* b) { return *a < *b; });
  const auto twice = std::adjacent_find(keys.begin(), keys.end(),
                                        [](const std::string* a, const std::string* b) { return *a == *b; });
  return twice == keys.end() ? nullptr : *twice;
}

// Each key once, where it first stood, with what was last said of it.
Object with_last_values(const Object& object) {
  std::map<std::string_view, const Value*> last;
  for (const Member& member : object) last[member.key] = &member.value;
  Object out;
  for (const Member& member : object) {
    const auto value = last.find(member.key);
    if (value == last.end()) continue;
    out.append_unchecked(member.key, *value->second);
    last.erase(value);
  }
  return out;
}

// Receives Boost.JSON's parse events and builds our Value. Returning false from an event stops the parse;
// `problem` then says why.
struct Builder {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  struct Frame {
    Value container;
    std::string key;  // Of the member that is being read.
  };

  std::size_t values_max = 0;
  bool last_key_wins = false;
  std::size_t values = 0;
  std::vector<Frame> open;
  Value root;
  std::string text;  // Of the string, key or number that is being read.
  std::string problem;

  bool add(Value value, bj::error_code& ec) {
    if (++values > values_max) return fail(fmt::format("more than {} values in one message", values_max), ec);
    if (open.empty()) {
      root = std::move(value);
      return true;
    }
    Frame& frame = open.back();
    if (Array* array = frame.container.if_array()) {
      array->push_back(std::move(value));
    } else {
      frame.container.if_object()->append_unchecked(std::move(frame.key), std::move(value));
      frame.key.clear();
    }
    return true;
  }

  bool fail(std::string why, bj::error_code& ec) {
    problem = std::move(why);
    ec = bj::make_error_code(bj::error::extra_data);
    return false;
  }

  bool close(bj::error_code& ec) {
    Frame frame = std::move(open.back());
    open.pop_back();
    if (const Object* object = frame.container.if_object()) {
      const std::string* twice = duplicate_key(object->members());
      if (twice != nullptr && last_key_wins) return add(with_last_values(*object), ec);
      if (twice != nullptr)
        return fail(fmt::format("the key \"{}\" stands twice in one object", excerpt(*twice)), ec);
    }
    return add(std::move(frame.container), ec);
  }

  bool number(bj::string_view last, bj::error_code& ec) {
    text.append(last.data(), last.size());
    if (text.size() > kJsonNumberBytesMax)
      return fail(fmt::format("a number of more than {} characters", kJsonNumberBytesMax), ec);
    const bool added = add(Number{std::move(text)}, ec);
    text.clear();
    return added;
  }

  bool on_document_begin(bj::error_code&) { return true; }
  bool on_document_end(bj::error_code&) { return true; }
  bool on_object_begin(bj::error_code&) {
    open.push_back(Frame{.container = Object{}, .key = {}});
    return true;
  }
  bool on_object_end(std::size_t, bj::error_code& ec) { return close(ec); }
  bool on_array_begin(bj::error_code&) {
    open.push_back(Frame{.container = Array{}, .key = {}});
    return true;
  }
  bool on_array_end(std::size_t, bj::error_code& ec) { return close(ec); }
  bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) {
    text.append(part.data(), part.size());
    return true;
  }
  bool on_key(bj::string_view part, std::size_t, bj::error_code&) {
    text.append(part.data(), part.size());
    open.back().key = std::move(text);
    text.clear();
    return true;
  }
  bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) {
    text.append(part.data(), part.size());
    return true;
  }
  bool on_string(bj::string_view part, std::size_t, bj::error_code& ec) {
    text.append(part.data(), part.size());
    const bool added = add(std::move(text), ec);
    text.clear();
    return added;
  }
  bool on_number_part(bj::string_view part, bj::error_code&) {
    text.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t, bj::string_view part, bj::error_code& ec) { return number(part, ec); }
  bool on_uint64(std::uint64_t, bj::string_view part, bj::error_code& ec) { return number(part, ec); }
  bool on_double(double, bj::string_view part, bj::error_code& ec) { return number(part, ec); }
  bool on_bool(bool value, bj::error_code& ec) { return add(value, ec); }
  bool on_null(bj::error_code& ec) { return add(nullptr, ec); }
  bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
  bool on_comment(bj::string_view, bj::error_code&) { return true; }
};

std::string explain(const bj::error_code& ec, const ReadLimits& limits) {
  if (ec == bj::error::too_deep) return fmt::format("nested deeper than {} levels", limits.depth_max);
  if (ec == bj::error::incomplete) return "the text ends in the middle of a value";
  return ec.message();
}

}  // namespace

Result<Value> read(std::string_view text, const ReadLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return limit_reached("bytes in one JSON text", limits.bytes_max).with_code("message_too_large");
  }
  bj::parse_options options;
  options.max_depth = limits.depth_max;
  bj::basic_parser<Builder> parser(options);
  parser.handler().values_max = limits.values_max;
  parser.handler().last_key_wins = limits.last_key_wins;
  parser.handler().open.reserve(8);
  bj::error_code ec;
  std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size()) {
    return invalid_input(fmt::format("invalid JSON at byte {}: something follows the value", used))
        .with_code("invalid_json");
  }
  if (ec) {
    const std::string& problem = parser.handler().problem;
    return invalid_input(fmt::format("invalid JSON at byte {}: {}", used,
                                     problem.empty() ? explain(ec, limits) : problem))
        .with_code("invalid_json");
  }
  return std::move(parser.handler().root);
}

}  // namespace sluice::json
