#pragma once

#include <string>
#include <string_view>

namespace sluice::contents {

// A Content-Type, as far as it is one.
struct ContentType {
  std::string type;     // In lower case; empty where there is none, or none that could be shown.
  std::string charset;  // In lower case; may be empty.
};
ContentType parse_content_type(std::string_view header);

bool is_json_type(std::string_view type);

// What a body is, by what its sender says and what it looks like, which has the last word: a picture that is
// called text is a picture. Text types are those of is_text_type.
std::string type_of_body(std::string_view stated, std::string_view body);

// Text as UTF-8. What is UTF-8 stays so, whatever its sender says; else the charset that is stated, if
// anybody knows it, else the likeliest.
std::string text_of_body(std::string_view charset, std::string body);

}  // namespace sluice::contents
