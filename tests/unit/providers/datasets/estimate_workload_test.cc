#include <algorithm>
#include <iostream>
#include <map>
#include <random>

#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

constexpr int kQueries = 200;

// How far an estimate is from the truth, as a factor: 1 is exact. Both are one more than they are, so that
// nothing estimated as nothing is 1, and one row where there is none is 2.
double q_error(double estimated, double actual) {
  return (std::max(estimated, actual) + 1) / (std::min(estimated, actual) + 1);
}

struct Column {
  std::string name;
  bool is_text = false;
  std::vector<std::string> values;  // As JSON, the frequent ones first.
};

struct Source {
  std::string name;
  std::vector<Column> columns;
};

class Workload {
 public:
  explicit Workload(DataServer& server) {
    const query::Inventory inventory = server.registry.inventory();
    for (const query::DatasetPtr& dataset : inventory.datasets())
      sources_.push_back(look_at(server, dataset->name()));
  }

  // The arguments of a random query.
  std::string next() {
    const Source& source = sources_[below(sources_.size())];
    std::string out = R"({"dataset":)" + in_json(source.name) + R"(,"filters":[)";
    for (std::size_t i = 0, count = below(3); i < count; ++i) out += (i == 0 ? "" : ",") + filter(source);
    out += "]";
    switch (below(4)) {
      case 0:
        out += R"(,"group_by":)" + some_columns(source, 2);
        if (below(2) == 0)
          out += R"(,"aggs":[{"fn":"count"},{"col":)" + number_column(source) + R"(,"fn":"sum"}])";
        break;
      case 1:
        out += R"(,"distinct":true,"columns":)" + some_columns(source, 3);
        break;
      case 2:
        out += R"(,"columns":)" + some_columns(source, source.columns.size());
        break;
      default:
        break;
    }
    if (below(4) == 0) out += R"(,"limit":)" + std::to_string(1 + below(500));
    return out + "}";
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  static Source look_at(DataServer& server, const std::string& name) {
    Source source{.name = name, .columns = {}};
    const WireMessage schema = about(server, "get_schema", name).answer();
    for (std::size_t i = 0; i < schema.size({"columns"}); ++i) {
      Column column{.name = schema.text({"columns", static_cast<int>(i)}), .is_text = false, .values = {}};
      column.is_text = schema.text({"dtypes", column.name.c_str()}) == "String";
      const WireMessage values =
          about(server, "distinct_values", name, R"(,"limit":60,"column":)" + in_json(column.name)).answer();
      for (std::size_t j = 0; j < values.size({"values"}); ++j) {
        const json::Value& value = values.at({"values", static_cast<int>(j), "value"});
        if (!value.is_null()) column.values.push_back(json::to_text(value));
      }
      if (!column.values.empty()) source.columns.push_back(std::move(column));
    }
    return source;
  }

  std::string number_column(const Source& source) {
    while (true) {
      const Column& column = source.columns[below(source.columns.size())];
      if (!column.is_text) return in_json(column.name);
    }
  }

  std::string some_columns(const Source& source, std::size_t most) {
    std::string out = "[";
    for (std::size_t i = 0, count = 1 + below(most); i < count; ++i)
      out += (i == 0 ? "" : ",") + in_json(source.columns[below(source.columns.size())].name);
    return out + "]";
  }

  // Three characters from the middle of a value.
  std::string part_of(const std::string& value) {
    const std::string text = *server::testing::parse(value).if_string();
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
    if (starts.size() < 5) return in_json(text);
    const std::size_t from = below(starts.size() - 4);
    return in_json(text.substr(starts[from], starts[from + 3] - starts[from]));
  }

  std::string filter(const Source& source) {
    const Column& column = source.columns[below(source.columns.size())];
    const auto any = [&] { return column.values[below(column.values.size())]; };
    const auto as = [&](std::string_view op, const std::string& value) {
      return R"({"col":)" + in_json(column.name) + R"(,"op":")" + std::string(op) + R"(","value":)" + value +
             "}";
    };
    switch (below(5)) {
      case 0:
        return as("eq", column.values.front());
      case 1:
        return as("eq", column.values.back());
      case 2:
        return as("in", "[" + any() + "," + any() + "," + any() + "]");
      case 3:
        if (column.is_text) return as("contains", part_of(any()));
        return as("gte", any());
      default:
        if (column.is_text) return as("neq", any());
        return as("range", R"({"min":)" + any() + "}");
    }
  }

  std::mt19937 random_{20260101};
  std::vector<Source> sources_;
};

struct Errors {
  std::vector<double> all;

  double at(double part) {
    std::sort(all.begin(), all.end());
    return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
  }
  double share_within(double bound) const {
    const auto good = std::count_if(all.begin(), all.end(), [&](double one) { return one <= bound; });
    return static_cast<double>(good) / static_cast<double>(all.size());
  }
  void print(const char* title, double bound) {
    std::cout << title << " q-error: p50 " << at(0.5) << ", p90 " << at(0.9) << ", max " << at(1) << "; "
              << 100 * share_within(bound) << " % within " << bound << '\n';
  }
};

// What is estimated before a query is what the query then gives.
TEST(EstimateWorkload, IsNearTheTruth) {
  const Budget all{.rows = 1'000'000, .cells = 100'000'000, .bytes = 7'000'000, .tokens = 2'000'000};
  DataServer server = DataServer::budget({.limits = {.usual = all, .ceiling = all}});
  Workload workload(server);
  Errors rows;
  Errors bytes;
  std::map<std::string, int> kinds;
  for (int i = 0; i < kQueries; ++i) {
    const std::string arguments = workload.next();
    const Outcome estimated = outcome(server, "estimate_query", arguments);
    const Outcome actual = outcome(server, "query_data", arguments);
    ASSERT_TRUE(estimated.ok()) << arguments << estimated.text;
    ASSERT_TRUE(actual.ok()) << arguments << actual.text;
    const WireMessage estimate = estimated.answer();
    const WireMessage answer = actual.answer();
    ASSERT_EQ(answer.text({"method"}), "direct") << arguments;
    const auto actual_rows = static_cast<double>(answer.size({"data"}));
    const auto actual_bytes = static_cast<double>(answer.text({"data"}).size());
    rows.all.push_back(q_error(std::stod(estimate.text({"row_estimate"})), actual_rows));
    bytes.all.push_back(q_error(std::stod(estimate.text({"byte_estimate"})), actual_bytes));
    if (estimate.text({"row_estimate_kind"}) == "exact") {
      EXPECT_EQ(rows.all.back(), 1) << arguments;
    }
    if (bytes.all.back() > 1.5) {
      std::cout << "bytes off: " << arguments << " estimated " << estimate.text({"byte_estimate"}) << ", are "
                << actual_bytes << '\n';
    }
    ++kinds[estimate.text({"row_estimate_kind"})];
  }
  rows.print("rows", 2);
  bytes.print("bytes", 1.5);
  for (const auto& [kind, count] : kinds) std::cout << kind << ": " << count << '\n';
  EXPECT_GE(rows.share_within(2), 0.9);
  EXPECT_GE(bytes.share_within(1.5), 0.9);
}

}  // namespace
}  // namespace sluice::datasets::testing
