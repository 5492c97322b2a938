#include "polars_parser.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "polars_error.h"
#include "polars_lexer.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 12> kKeywords = {"and",    "or",  "not",  "in",     "is",    "if",
                                                        "lambda", "for", "else", "import", "await", "yield"};
// From weak to strong, as in Python: a comparison binds weaker than "&" and "|".
constexpr std::array<std::string_view, 6> kComparisons = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::array<std::string_view, 1> kOr = {"|"};
constexpr std::array<std::string_view, 1> kAnd = {"&"};
constexpr std::array<std::string_view, 2> kSums = {"+", "-"};
constexpr std::array<std::string_view, 4> kProducts = {"*", "/", "//", "%"};
constexpr std::array<std::span<const std::string_view>, 4> kLevels = {kOr, kAnd, kSums, kProducts};

// The smallest number of 64 bits has no counterpart of 64 bits.
PolarsNode negated_integer(PolarsNode integer) {
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
  constexpr std::string_view kSmallestText = "-9223372036854775808";
  if (integer.kind == PolarsKind::kInteger && integer.integer != kSmallest) {
    integer.integer = -integer.integer;
  } else if (integer.kind == PolarsKind::kInteger) {
    integer.kind = PolarsKind::kWideInteger;
    integer.text = kSmallestText.substr(1);
  } else if (integer.text.starts_with('-')) {
    integer.text.erase(0, 1);
  } else {
    integer.text.insert(0, 1, '-');
    if (integer.text == kSmallestText) {
      integer.kind = PolarsKind::kInteger;
      integer.integer = kSmallest;
    }
  }
  return integer;
}

class Parser {
 public:
  explicit Parser(std::vector<PolarsToken> tokens) : tokens_(std::move(tokens)) {}

  Result<PolarsNode> run() {
    SLUICE_TRY(PolarsNode node, comparison());
    if (token().kind != PolarsToken::Kind::kEnd) return unexpected();
    return node;
  }

 private:
  // Counts what is inside one another for as long as it lives.
  class Nesting {
   public:
    explicit Nesting(std::size_t& count) : count_(++count) {}
    ~Nesting() { --count_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    std::size_t& count_;
  };

  const PolarsToken& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is_symbol(std::string_view text, std::size_t ahead = 0) const {
    return token(ahead).kind == PolarsToken::Kind::kSymbol && token(ahead).text == text;
  }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++at_;
    return true;
  }

  Error unexpected() const {
    if (token().kind == PolarsToken::Kind::kEnd) {
      return invalid_expression(token().position, "it ends too early", "Close every bracket.");
    }
    if (token().kind == PolarsToken::Kind::kName &&
        std::find(kKeywords.begin(), kKeywords.end(), token().text) != kKeywords.end()) {
      return invalid_expression(token().position, "unexpected word: " + token().text,
                                "Combine conditions with & | ~ and put each in brackets; use is_in for in.");
    }
    return invalid_expression(token().position, "unexpected: " + token().text);
  }

  Result<PolarsNode> make(PolarsNode node) {
    if (++nodes_ > kExpressionNodesMax) return expression_too_large("parts", kExpressionNodesMax);
    for (const PolarsNode& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > kExpressionDepthMax) return expression_too_large("levels", kExpressionDepthMax);
    return node;
  }

  Result<PolarsNode> binary(PolarsNode left, const PolarsToken& symbol, PolarsNode right) {
    PolarsNode node{.kind = PolarsKind::kBinary, .position = symbol.position, .text = symbol.text};
    node.children.push_back(std::move(left));
    node.children.push_back(std::move(right));
    return make(std::move(node));
  }

  bool is_one_of(std::span<const std::string_view> symbols) const {
    return std::any_of(symbols.begin(), symbols.end(),
                       [this](std::string_view one) { return is_symbol(one); });
  }

  Result<PolarsNode> comparison() {
    const Nesting nesting(nesting_);
    if (nesting_ > kExpressionNestingMax)
      return expression_too_large("nested brackets", kExpressionNestingMax);
    SLUICE_TRY(PolarsNode left, level(0));
    if (!is_one_of(kComparisons)) return left;
    const PolarsToken symbol = token();
    ++at_;
    SLUICE_TRY(PolarsNode right, level(0));
    if (is_one_of(kComparisons)) {
      return invalid_expression(
          token().position, "two comparisons in a row",
          "Put each comparison in brackets: (a > 1) & (b < 2). & binds stronger than >.");
    }
    return binary(std::move(left), symbol, std::move(right));
  }

  Result<PolarsNode> level(std::size_t index) {
    if (index == kLevels.size()) return signed_value();
    SLUICE_TRY(PolarsNode left, level(index + 1));
    while (is_one_of(kLevels[index])) {
      const PolarsToken symbol = token();
      ++at_;
      SLUICE_TRY(PolarsNode right, level(index + 1));
      SLUICE_TRY(left, binary(std::move(left), symbol, std::move(right)));
    }
    return left;
  }

  Result<PolarsNode> signed_value() {
    if (!is_symbol("-") && !is_symbol("~") && !is_symbol("+")) return power();
    const Nesting nesting(nesting_);
    if (nesting_ > kExpressionNestingMax) return expression_too_large("nested signs", kExpressionNestingMax);
    PolarsNode node{.kind = PolarsKind::kUnary, .position = token().position, .text = token().text};
    ++at_;
    SLUICE_TRY(PolarsNode value, signed_value());
    if (node.text == "+") return value;
    if (node.text == "-" && (value.kind == PolarsKind::kInteger || value.kind == PolarsKind::kWideInteger))
      return negated_integer(std::move(value));
    if (node.text == "-" && value.kind == PolarsKind::kFloat) {
      value.number = -value.number;
      return value;
    }
    node.children.push_back(std::move(value));
    return make(std::move(node));
  }

  Result<PolarsNode> power() {
    SLUICE_TRY(PolarsNode base, postfix());
    if (!is_symbol("**")) return base;
    const PolarsToken symbol = token();
    ++at_;
    SLUICE_TRY(PolarsNode exponent, signed_value());  // 2 ** -1, and 2 ** 3 ** 2 from the right.
    return binary(std::move(base), symbol, std::move(exponent));
  }

  Result<PolarsNode> postfix() {
    SLUICE_TRY(PolarsNode node, primary());
    while (true) {
      if (is_symbol(".")) {
        PolarsNode attribute{
            .kind = PolarsKind::kAttribute, .position = token(1).position, .text = token(1).text};
        ++at_;
        if (token().kind != PolarsToken::Kind::kName) return unexpected();
        ++at_;
        attribute.children.push_back(std::move(node));
        SLUICE_TRY(node, make(std::move(attribute)));
      } else if (is_symbol("(")) {
        SLUICE_TRY(node, call(std::move(node)));
      } else {
        return node;
      }
    }
  }

  Result<PolarsNode> call(PolarsNode callee) {
    PolarsNode node{.kind = PolarsKind::kCall, .position = callee.position};
    node.children.push_back(std::move(callee));
    ++at_;
    while (!accept(")")) {
      std::string name;
      if (token().kind == PolarsToken::Kind::kName && is_symbol("=", 1)) {
        name = token().text;
        at_ += 2;
      }
      if (name.empty() && !node.names.empty() && !node.names.back().empty()) {
        return invalid_expression(token().position, "a value without a name behind named ones");
      }
      SLUICE_TRY(PolarsNode value, comparison());
      node.children.push_back(std::move(value));
      node.names.push_back(std::move(name));
      if (!accept(",") && !is_symbol(")")) return unexpected();
    }
    return make(std::move(node));
  }

  Result<PolarsNode> primary() {
    const PolarsToken& here = token();
    PolarsNode node{.position = here.position, .text = here.text};
    switch (here.kind) {
      case PolarsToken::Kind::kInteger:
        node.kind = PolarsKind::kInteger;
        node.integer = here.integer;
        break;
      case PolarsToken::Kind::kWideInteger:
        node.kind = PolarsKind::kWideInteger;
        break;
      case PolarsToken::Kind::kFloat:
        node.kind = PolarsKind::kFloat;
        node.number = here.number;
        break;
      case PolarsToken::Kind::kText:
        node.kind = PolarsKind::kText;
        break;
      case PolarsToken::Kind::kName:
        if (std::find(kKeywords.begin(), kKeywords.end(), here.text) != kKeywords.end()) return unexpected();
        node.kind = here.text == "None"                           ? PolarsKind::kNone
                    : here.text == "True" || here.text == "False" ? PolarsKind::kBool
                                                                  : PolarsKind::kName;
        node.integer = here.text == "True" ? 1 : 0;
        break;
      case PolarsToken::Kind::kSymbol:
        if (is_symbol("(")) return bracketed(")");
        if (is_symbol("[")) return bracketed("]");
        return unexpected();
      case PolarsToken::Kind::kEnd:
        return unexpected();
    }
    ++at_;
    return make(std::move(node));
  }

  // (x) is x; (x, y), [x, y] and [x] are lists.
  Result<PolarsNode> bracketed(std::string_view close) {
    PolarsNode list{.kind = PolarsKind::kList, .position = token().position};
    bool is_list = close == "]";
    ++at_;
    while (!accept(close)) {
      const std::size_t nodes = nodes_;
      SLUICE_TRY(PolarsNode item, comparison());
      if (item.depth == 1) nodes_ = nodes;  // The values of a list have a bound of their own.
      list.children.push_back(std::move(item));
      if (list.children.size() > kExpressionListItemsMax) {
        return expression_too_large("items in a list", kExpressionListItemsMax);
      }
      if (accept(",")) {
        is_list = true;
      } else if (!is_symbol(close)) {
        return unexpected();
      }
    }
    if (!is_list && list.children.size() == 1) return std::move(list.children.front());
    return make(std::move(list));
  }

  const std::vector<PolarsToken> tokens_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

Result<PolarsNode> parse_polars(std::string_view text) {
  if (text.size() > kExpressionBytesMax) return expression_too_large("bytes", kExpressionBytesMax);
  if (!is_valid_utf8(text) || text.find('\0') != std::string_view::npos) {
    return invalid_expression(0, "it is not UTF-8 text");
  }
  SLUICE_TRY(std::vector<PolarsToken> tokens, lex_polars(text));
  return Parser(std::move(tokens)).run();
}

}  // namespace sluice::expression
