#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/fetch/message.h"

namespace sluice::apis {

// What an API answered, as it is given to callers: JSON compact, text in UTF-8, anything else as it came.
struct Answer {
  std::string type;
  std::string body;
  std::string etag;
  std::string last_modified;
  std::string next;     // The URL of the next page, absolute. Empty: none.
  bool is_kept = true;  // False where the API says not to (Cache-Control: no-store).
};

// `next` is the endpoint's rule for the next page.
Answer make_answer(fetch::Response response, std::string_view next);

// An ETag or a date that can be sent back. Empty where there is none, or none that is text.
std::string validator_of(const fetch::Headers& headers, std::string_view name);

// An answer, and when it was known to be right. Owners: the caches, and the reads under way.
struct Kept {
  std::shared_ptr<const Answer> answer;
  Monotonic as_of;
};

}  // namespace sluice::apis
