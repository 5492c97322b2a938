// What a compiler does most of the time in this project: reading standard headers and instantiating
// containers. The time that it takes is the unit of tests/bench/build_times.py, so that figures of different
// machines can be compared.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<std::monostate, bool, double, std::string, std::vector<std::string>>;

std::map<std::string, Value> read_values(const std::string& text) {
  static const std::regex pair(R"((\w+)=(\w+|"[^"]*"))");
  std::map<std::string, Value> values;
  for (std::sregex_iterator match(text.begin(), text.end(), pair), end; match != end; ++match) {
    values.insert_or_assign((*match)[1].str(), Value((*match)[2].str()));
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream out;
  std::vector<std::function<std::size_t()>> sizes;
  for (int i = 1; i < argc; ++i) {
    auto values = std::make_shared<std::map<std::string, Value>>(read_values(argv[i]));
    sizes.emplace_back([values] { return values->size(); });
  }
  std::sort(sizes.begin(), sizes.end(), [](const auto& left, const auto& right) { return left() < right(); });
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::optional<std::size_t> largest = sizes.empty() ? std::nullopt : std::optional(sizes.back()());
  out << now.count() << largest.value_or(0);
  return out.str().empty() ? 1 : 0;
}
