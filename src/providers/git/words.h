#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "handles.h"

// What answers say of commits and names, which are data: whatever bytes they are, they become UTF-8, and one
// line stays one line.
namespace sluice::git {

inline constexpr std::size_t kShortIdDigits = 10;

std::string short_id(const git_oid& id);

// UTF-8 from the encoding that a commit names; nothing that is not text stays.
std::string to_utf8(std::string_view bytes, std::string_view encoding = {});

// A line of text that may hold anything: control characters are percent-encoded.
std::string one_line(std::string_view bytes, std::string_view encoding = {});

// A name of a file or ref. Where it is not UTF-8, its bytes are percent-encoded.
std::string shown_name(std::string_view bytes);

// Seconds since 1970 as ISO 8601 in UTC.
std::string iso_time(std::int64_t seconds);

struct Person {
  std::string name;
  std::string email;
  std::string time;
};
Person person_of(const git_signature* signature, std::string_view encoding);

}  // namespace sluice::git
