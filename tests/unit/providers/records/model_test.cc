// Random calls of the tools, each compared with a list in memory that shares no code with the store.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

struct Item {
  std::int64_t id = 0;
  std::optional<std::string> name;
  std::optional<std::int64_t> amount;
  std::optional<std::vector<std::string>> tags;

  friend bool operator==(const Item&, const Item&) = default;
};
using Items = std::vector<Item>;
void PrintTo(const Item& item, std::ostream* out);

std::string quoted(const std::string& text) { return "\"" + text + "\""; }
std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + quoted(text);
  return "[" + out + "]";
}

// As read_parquet shows it.
std::string shown(const Item& item) {
  return fmt::format(
      R"({{"item_id":{},"name":{},"amount":{},"tags":{}}})", item.id, item.name ? quoted(*item.name) : "null",
      item.amount ? std::to_string(*item.amount) : "null", item.tags ? list_of(*item.tags) : "null");
}

void PrintTo(const Item& item, std::ostream* out) { *out << shown(item); }

// A filter in the words of the tools, and what it means.
struct Filter {
  std::string json;  // Members of an object, without its braces.
  std::function<bool(const Item&)> holds;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  bool chance(int percent) { return below(100) < percent; }
  std::string word() {
    static const std::vector<std::string> words = {"alpha", "Beta",      "gamma", "ALPHABET",
                                                   "be",    "delta ray", "né"};
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }
  std::string tag() { return std::string(1, static_cast<char>('a' + below(4))); }
  std::int64_t amount() { return below(21) - 10; }

  Item item(std::int64_t id) {
    Item out{.id = id, .name = {}, .amount = {}, .tags = {}};
    if (!chance(15)) out.name = word();
    if (!chance(20)) out.amount = amount();
    if (!chance(25)) {
      out.tags.emplace();
      for (int i = below(4); i > 0; --i) out.tags->push_back(tag());
    }
    return out;
  }

  Filter filter(int depth = 0) {
    if (depth < 3 && chance(35)) return combination(depth);
    switch (below(4)) {
      case 0:
        return by_amount();
      case 1:
        return by_name();
      case 2:
        return by_tags();
      default:
        return by_id();
    }
  }

 private:
  Filter combination(int depth) {
    const Filter a = filter(depth + 1);
    const Filter b = filter(depth + 1);
    switch (below(3)) {
      case 0:
        return {"\"$or\":[{" + a.json + "},{" + b.json + "}]",
                [a, b](const Item& item) { return a.holds(item) || b.holds(item); }};
      case 1:
        return {"\"$and\":[{" + a.json + "},{" + b.json + "}]",
                [a, b](const Item& item) { return a.holds(item) && b.holds(item); }};
      default:
        return {"\"$not\":{" + a.json + "}", [a](const Item& item) { return !a.holds(item); }};
    }
  }

  Filter by_amount() {
    const std::int64_t x = amount();
    const std::int64_t y = amount();
    const auto made = [](const std::string& condition, auto test) {
      return Filter{R"("amount":)" + condition, [test](const Item& item) { return test(item.amount); }};
    };
    using Cell = std::optional<std::int64_t>;
    switch (below(9)) {
      case 0:
        return made(fmt::format("{}", x), [x](const Cell& cell) { return cell == x; });
      case 1:
        return made("null", [](const Cell& cell) { return !cell; });
      case 2:
        return made(fmt::format("[{},{}]", x, y),
                    [x, y](const Cell& cell) { return cell == x || cell == y; });
      case 3:
        return made(fmt::format(R"({{"$gt":{}}})", x), [x](const Cell& cell) { return cell && *cell > x; });
      case 4:
        return made(fmt::format(R"({{"$lte":{}}})", x), [x](const Cell& cell) { return cell && *cell <= x; });
      case 5:
        return made(fmt::format(R"({{"$between":[{},{}]}})", x, y),
                    [x, y](const Cell& cell) { return cell && *cell >= x && *cell <= y; });
      case 6:
        return made(fmt::format(R"({{"$nin":[{},{}]}})", x, y),
                    [x, y](const Cell& cell) { return cell != x && cell != y; });
      case 7:
        return made(fmt::format(R"({{"$ne":{}}})", x), [x](const Cell& cell) { return cell != x; });
      default:
        return made(fmt::format(R"({{"$not":{{"$gte":{},"$lt":{}}}}})", x, y),
                    [x, y](const Cell& cell) { return !(cell && *cell >= x && *cell < y); });
    }
  }

  Filter by_name() {
    const std::string text = word();
    const auto lower = [](std::string value) {
      std::transform(value.begin(), value.end(), value.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      return value;
    };
    const auto made = [](const std::string& condition, auto test) {
      return Filter{R"("name":)" + condition, [test](const Item& item) { return test(item.name); }};
    };
    using Cell = std::optional<std::string>;
    switch (below(4)) {
      case 0:
        return made(quoted(text), [text](const Cell& cell) { return cell == text; });
      case 1:
        return made(R"({"$contains":)" + quoted(text.substr(0, 1)) + "}", [text, lower](const Cell& cell) {
          return cell && lower(*cell).find(lower(text.substr(0, 1))) != std::string::npos;
        });
      case 2:
        return made(R"({"$starts_with":)" + quoted(text) + "}", [text, lower](const Cell& cell) {
          return cell && lower(*cell).starts_with(lower(text));
        });
      default:
        return made(R"({"$ne":null})", [](const Cell& cell) { return cell.has_value(); });
    }
  }

  Filter by_tags() {
    const std::string one = tag();
    const std::string two = tag();
    const auto has = [](const Item& item, const std::string& tag) {
      return item.tags && std::find(item.tags->begin(), item.tags->end(), tag) != item.tags->end();
    };
    switch (below(4)) {
      case 0:
        return {R"("tags":{"$has":)" + quoted(one) + "}", [=](const Item& item) { return has(item, one); }};
      case 1:
        return {R"("tags":{"$has_any":)" + list_of({one, two}) + "}",
                [=](const Item& item) { return has(item, one) || has(item, two); }};
      case 2:
        return {R"("tags":{"$has_all":)" + list_of({one, two}) + "}",
                [=](const Item& item) { return has(item, one) && has(item, two); }};
      default:
        return {R"("tags":[)" + list_of({one, two}) + "]", [=](const Item& item) {
                  return item.tags == std::vector<std::string>{one, two};
                }};
    }
  }

  Filter by_id() {
    const int x = below(60);
    return {fmt::format(R"("item_id":{{"$gte":{},"$lt":{}}})", x, x + 12),
            [x](const Item& item) { return item.id >= x && item.id < x + 12; }};
  }

  std::mt19937 engine_;
};

// The tools and the list, side by side.
class Model {
 public:
  explicit Model(unsigned seed) : random_(seed) {
    folder_.make("items",
                 "SELECT 0::BIGINT AS item_id, ''::VARCHAR AS name, 0::BIGINT AS amount, ['']::VARCHAR[] AS "
                 "tags LIMIT 0");
    open();
    states_.push_back({});
  }

  void step() {
    const int kind = random_.below(100);
    if (kind < 25 || items_.empty()) {
      add();
    } else if (kind < 42) {
      update();
    } else if (kind < 50) {
      remove();
    } else if (kind < 58) {
      upsert();
    } else if (kind < 68) {
      undo();
    } else if (kind < 72) {
      restore();
    } else if (kind < 76) {
      EXPECT_TRUE(server_->store().fold_all().ok());
    } else if (kind < 78) {
      open();
    } else if (kind < 82) {
      compare_versions();
    } else {
      read_some();
      return;
    }
    EXPECT_EQ(read("", 0), items_);
  }

 private:
  using Call = std::pair<std::string, std::string>;

  void open() {
    server_.reset();
    server_ = std::make_unique<RecordServer>(folder_, Budget{.bytes = 3'000}, Access::kWritable);
  }

  // The largest id that there ever was.
  std::int64_t largest() const {
    std::int64_t out = 0;
    for (const Items& state : states_) {
      for (const Item& item : state) out = std::max(out, item.id);
    }
    return out;
  }

  // The members of a record, with or without its id.
  static std::string members(const Item& item, bool with_id) {
    std::string text = shown(item);
    text = text.substr(1, text.size() - 2);
    return with_id ? text : text.substr(text.find(',') + 1);
  }

  // Sometimes asks first what would happen, and sometimes with the version.
  WireMessage change(const std::string& tool, const std::string& arguments) {
    std::string whole = R"({"data_type":"items",)" + arguments;
    if (random_.chance(20)) {
      server_->answer(tool, whole + R"(,"dry_run":true})");
      EXPECT_EQ(read("", 0), items_);
    }
    if (random_.chance(20)) {
      EXPECT_EQ(server_->code(tool, whole + fmt::format(R"(,"expected_version":{}}})", version() + 1)),
                "version_conflict");
      whole += fmt::format(R"(,"expected_version":{})", version());
    }
    return server_->answer(tool, whole + "}");
  }

  std::int64_t version() const { return static_cast<std::int64_t>(states_.size()) - 1; }
  void done(const WireMessage& answer, const std::string& id) {
    undoable_ = answer.text({id.c_str()});
    states_.push_back(items_);
  }

  void add() {
    const int count = random_.chance(70) ? 1 : 2 + random_.below(5);
    std::string records;
    std::int64_t next = largest();
    const bool with_ids = random_.chance(30);
    Items after = items_;
    for (int i = 0; i < count; ++i) {
      after.push_back(random_.item(++next));
      records += (i > 0 ? ",{" : "{") + members(after.back(), with_ids) + "}";
    }
    const WireMessage answer = change("add_records", R"("records":[)" + records + "]");
    items_ = after;
    done(answer, "operation_id");
  }

  void update() {
    const Filter filter = random_.filter();
    const Item values = random_.item(0);
    bool is_any = false;
    Items after = items_;
    for (Item& item : after) {
      if (!filter.holds(item)) continue;
      is_any = true;
      item.name = values.name;
      item.amount = values.amount;
    }
    const std::string arguments =
        "\"filters\":{" + filter.json + "},\"updates\":" +
        fmt::format(R"({{"name":{},"amount":{}}})", values.name ? quoted(*values.name) : "null",
                    values.amount ? std::to_string(*values.amount) : "null");
    if (!is_any) {
      EXPECT_EQ(server_->code("update_records", R"({"data_type":"items",)" + arguments + "}"), "no_match")
          << filter.json;
      return;
    }
    const WireMessage answer = change("update_records", arguments);
    items_ = after;
    done(answer, "operation_id");
  }

  void remove() {
    const Filter filter = random_.filter();
    const auto gone = std::count_if(items_.begin(), items_.end(), filter.holds);
    const std::string arguments = "\"filters\":{" + filter.json + "}";
    if (gone == 0) {
      EXPECT_EQ(server_->code("delete_records", R"({"data_type":"items",)" + arguments + "}"), "no_match");
      return;
    }
    const WireMessage answer = change("delete_records", arguments);
    EXPECT_EQ(answer.text({"records_deleted"}), std::to_string(gone)) << filter.json;
    std::erase_if(items_, filter.holds);
    done(answer, "operation_id");
  }

  void upsert() {
    const std::int64_t id = 1 + random_.below(static_cast<int>(largest()) + 3);
    const Item values = random_.item(id);
    const auto at =
        std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.id == id; });
    const WireMessage answer =
        change("upsert_record",
               fmt::format(R"("filters":{{"item_id":{}}},"record":{{{}}})", id, members(values, true)));
    EXPECT_EQ(answer.text({"action"}), at == items_.end() ? "created" : "updated");
    if (at == items_.end()) {
      items_.push_back(values);
      done(answer, "audit_id");
    } else {
      *at = values;
      undoable_ = answer.text({"audit_ids", 0});
      states_.push_back(items_);
    }
  }

  // The newest operation can always be undone, and so can that.
  void undo() {
    if (undoable_.empty()) return;
    const WireMessage answer = server_->answer("rollback_operation", R"({"audit_id":")" + undoable_ + "\"}");
    items_ = states_[states_.size() - 2];
    states_.push_back(items_);
    undoable_ = answer.text({"rollback_audit_id"});
  }

  void restore() {
    const std::int64_t wanted = std::max<std::int64_t>(0, version() - random_.below(12));
    const WireMessage answer = change("restore_snapshot", fmt::format(R"("version":{})", wanted));
    items_ = states_[static_cast<std::size_t>(wanted)];
    done(answer, "audit_id");
  }

  void compare_versions() {
    const std::int64_t from = std::max<std::int64_t>(0, version() - random_.below(8));
    const Items& before = states_[static_cast<std::size_t>(from)];
    const auto find = [](const Items& items, std::int64_t id) {
      return std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
    };
    int added = 0;
    int changed = 0;
    int removed = 0;
    for (const Item& item : items_) {
      const auto old = find(before, item.id);
      added += old == before.end() ? 1 : 0;
      changed += old != before.end() && *old != item ? 1 : 0;
    }
    for (const Item& item : before) removed += find(items_, item.id) == items_.end() ? 1 : 0;
    const WireMessage answer =
        server_->answer("diff_versions", fmt::format(R"({{"data_type":"items","from_version":{}}})", from));
    EXPECT_EQ(answer.text({"added"}), std::to_string(added));
    EXPECT_EQ(answer.text({"changed"}), std::to_string(changed));
    EXPECT_EQ(answer.text({"removed"}), std::to_string(removed));
  }

  void read_some() {
    const Filter filter = random_.filter();
    Items expected;
    std::copy_if(items_.begin(), items_.end(), std::back_inserter(expected), filter.holds);
    EXPECT_EQ(read(",\"filters\":{" + filter.json + "}", random_.below(4)), expected) << filter.json;
  }

  // Every page of read_parquet. `limit` 0: none is given.
  Items read(const std::string& arguments, int limit) {
    Items out;
    std::string offset = "0";
    for (int page = 0; page < 1'000; ++page) {
      std::string call = R"({"data_type":"items","offset":)" + offset + arguments;
      if (limit > 0) call += fmt::format(R"(,"limit":{})", limit);
      const WireMessage answer = server_->answer("read_parquet", call + "}");
      EXPECT_EQ(answer.text({"version"}), std::to_string(version()));
      for (const json::Value& row : *answer.at({"data"}).if_array()) out.push_back(item_of(row));
      if (!answer.has({"next_offset"})) {
        EXPECT_EQ(answer.text({"total_rows"}), std::to_string(out.size()));
        return out;
      }
      offset = answer.text({"next_offset"});
      EXPECT_EQ(offset, std::to_string(out.size()));
    }
    ADD_FAILURE() << "pages without end";
    return out;
  }

  static Item item_of(const json::Value& row) {
    Item out;
    out.id = row.find("item_id")->if_number()->as_int64().value_or(-1);
    if (const std::string* name = row.find("name")->if_string()) out.name = *name;
    if (const json::Number* amount = row.find("amount")->if_number()) out.amount = amount->as_int64();
    if (const json::Array* tags = row.find("tags")->if_array()) {
      out.tags.emplace();
      for (const json::Value& tag : *tags) out.tags->push_back(*tag.if_string());
    }
    return out;
  }

  Random random_;
  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
  Items items_;
  std::vector<Items> states_;  // By version.
  std::string undoable_;
};

// SLUICE_MODEL_OPERATIONS asks for more steps, SLUICE_MODEL_SEED for others.
TEST(ToolModel, IsEqualAfterEachOfManyRandomCalls) {
  const char* wanted =
      std::getenv("SLUICE_MODEL_OPERATIONS");             // NOLINT(concurrency-mt-unsafe): no thread yet.
  const char* chosen = std::getenv("SLUICE_MODEL_SEED");  // NOLINT(concurrency-mt-unsafe)
  const int steps = wanted == nullptr ? 100 : std::atoi(wanted);
  const unsigned first = chosen == nullptr ? 1 : static_cast<unsigned>(std::atoi(chosen));
  for (unsigned seed = first; seed < first + (chosen == nullptr ? 2U : 1U); ++seed) {
    Model model(seed);
    for (int i = 0; i < steps; ++i) {
      model.step();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace sluice::records_provider::testing
