#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/annotations.h"

namespace sluice::protocol {

struct Resource {
  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::uint64_t> size;  // Bytes, before any encoding.
  std::vector<Icon> icons;
  std::optional<Annotations> annotations;
  json::Object meta;
};

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::vector<Icon> icons;
  std::optional<Annotations> annotations;
  json::Object meta;
};

struct TextBody {
  std::string text;
};
struct BlobBody {
  std::string bytes;  // Raw; base64 is the wire's business.
};

struct ResourceContents {
  std::string uri;
  std::optional<std::string> mime_type;
  std::variant<TextBody, BlobBody> body;
  json::Object meta;
};

// How long, and for whom, a client may keep an answer.
struct CacheHint {
  std::chrono::milliseconds ttl{0};
  bool shared = false;  // True: the answer is the same for every caller.
};

struct ReadResult {
  std::vector<ResourceContents> contents;
  CacheHint cache;
  json::Object meta;
};

// The error for a resource that does not exist, with its URI in the data.
Error resource_not_found(std::string_view uri);

}  // namespace sluice::protocol
