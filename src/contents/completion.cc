#include "sluice/contents/completion.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::contents {

std::string template_value(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      out += percent_encode(std::string_view(&c, 1));
    } else {
      out += c;
    }
  }
  return encode_controls(out);
}

protocol::Completion complete_among(std::vector<std::string> values, std::string_view typed) {
  const std::string wanted = to_lower_ascii(typed);
  const auto is_other = [&](const std::string& value) { return !to_lower_ascii(value).starts_with(wanted); };
  values.erase(std::remove_if(values.begin(), values.end(), is_other), values.end());
  protocol::Completion out;
  out.total = values.size();
  const std::size_t sent = std::min(values.size(), kCompletionValuesMax);
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sent), values.end());
  values.resize(sent);
  out.values = std::move(values);
  return out;
}

}  // namespace sluice::contents
