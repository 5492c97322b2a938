#include "sluice/oauth/www_authenticate.h"

#include <algorithm>
#include <optional>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::oauth {

namespace {

Error invalid_challenge(std::string_view what) { return invalid_input(what).with_code("invalid_challenge"); }

bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

// What a token68 may have beside the characters of a token.
bool is_token68_character(char c) { return is_token_character(c) || c == '/' || c == '='; }

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<std::vector<AuthenticateScheme>> parse() {
    std::vector<AuthenticateScheme> out;
    for (skip_separators(); !rest_.empty(); skip_separators()) {
      SLUICE_TRY(AuthenticateScheme scheme, parse_scheme());
      out.push_back(std::move(scheme));
      if (out.size() > kChallengeSchemesMax)
        return limit_reached("challenges of one answer", kChallengeSchemesMax).with_code("invalid_challenge");
    }
    return out;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  void skip_separators() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t,"), rest_.size())); }

  std::string_view take(bool (*belongs)(char)) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), belongs);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  Result<AuthenticateScheme> parse_scheme() {
    AuthenticateScheme out{.name = to_lower_ascii(take(is_token_character)), .parameters = {}};
    if (out.name.empty()) return invalid_challenge("no challenge begins here");
    if (!rest_.empty() && rest_.front() != ' ' && rest_.front() != '\t' && rest_.front() != ',')
      return invalid_challenge("the name of a challenge ends in an odd character");
    skip_spaces();
    while (is_parameter_next()) {
      SLUICE_CHECK(parse_parameter(out));
      skip_spaces();
      if (rest_.empty()) return out;
      if (rest_.front() != ',') return invalid_challenge("the parameters of a challenge are not a list");
      // The comma may end the challenge: what follows is then a name without an equals sign.
      skip_separators();
    }
    if (out.parameters.empty()) skip_token68();
    return out;
  }

  // Only where nothing but the end or a comma follows it.
  void skip_token68() {
    const std::string_view before = rest_;
    take(is_token68_character);
    skip_spaces();
    if (!rest_.empty() && rest_.front() != ',') rest_ = before;
  }

  bool is_parameter_next() const {
    std::string_view look = rest_;
    const auto end = std::find_if_not(look.begin(), look.end(), is_token_character);
    const auto name_bytes = static_cast<std::size_t>(end - look.begin());
    look.remove_prefix(name_bytes);
    look.remove_prefix(std::min(look.find_first_not_of(" \t"), look.size()));
    if (name_bytes == 0 || !look.starts_with('=')) return false;
    // "abc==" and "abc=" before a comma are a token68.
    look.remove_prefix(1);
    look.remove_prefix(std::min(look.find_first_not_of(" \t"), look.size()));
    return !look.empty() && look.front() != '=' && look.front() != ',';
  }

  Status parse_parameter(AuthenticateScheme& out) {
    std::string name = to_lower_ascii(take(is_token_character));
    skip_spaces();
    rest_.remove_prefix(1);  // is_parameter_next has seen the equals sign.
    skip_spaces();
    std::string value;
    if (rest_.starts_with('"')) {
      SLUICE_TRY(value, parse_quoted());
    } else {
      value = take(is_token_character);
      if (value.empty()) return invalid_challenge("a parameter of a challenge has no value");
    }
    if (out.parameters.size() == kChallengeParametersMax)
      return limit_reached("parameters of a challenge", kChallengeParametersMax)
          .with_code("invalid_challenge");
    out.parameters.emplace_back(std::move(name), std::move(value));
    return {};
  }

  Result<std::string> parse_quoted() {
    rest_.remove_prefix(1);
    std::string out;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (rest_.empty()) break;
      out += rest_.front();
      rest_.remove_prefix(1);
    }
    return invalid_challenge("a quoted value of a challenge does not end");
  }

  std::string_view rest_;
};

}  // namespace

const std::string* AuthenticateScheme::find(std::string_view parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& each) { return each.first == parameter; });
  return found == parameters.end() ? nullptr : &found->second;
}

Result<std::vector<AuthenticateScheme>> parse_www_authenticate(std::string_view text) {
  if (text.size() > kChallengeBytesMax)
    return limit_reached("bytes of WWW-Authenticate", kChallengeBytesMax).with_code("invalid_challenge");
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f')
      return invalid_challenge("a challenge has a control character");
  }
  return Parser(text).parse();
}

}  // namespace sluice::oauth
