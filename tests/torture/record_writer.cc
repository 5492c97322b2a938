// Writes records until it is killed, and says what it is about to do and what is done:
//   record_writer FOLDER SEED OPERATIONS [KILL_STEP]
// "? add ID VALUE", then "! AUDIT_ID" once that is durable. With KILL_STEP it kills itself before that
// durable step.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/fs/fault.h"
#include "sluice/records/mutation.h"
#include "sluice/records/store.h"

namespace {

using namespace sluice;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

int fail(const Error& error) {
  std::fputs((error.code + ": " + error.message + "\n").c_str(), stderr);
  return 1;
}

// Which records this program has made and not deleted.
class Writer {
 public:
  Writer(records::DataType& type, unsigned seed)
      : type_(type), random_(seed), name_(fmt::format("w{}-", seed)) {}

  Result<records::Mutated> next() {
    const auto kind = random_() % 10;
    if (kind < 6 || mine_.empty()) return add();
    const std::size_t index = random_() % mine_.size();
    const std::string id = mine_[index];
    const json::Object filter{{"item_id", id}};
    if (kind < 8) {
      const std::string value = fmt::format("v{}", ++count_);
      say(fmt::format("? update {} {}", id, value));
      return records::update_records(type_, nullptr, filter, {{"value", value}}, {}, {});
    }
    mine_.erase(mine_.begin() + static_cast<std::ptrdiff_t>(index));
    say(fmt::format("? delete {} -", id));
    return records::delete_records(type_, filter, {}, {});
  }

 private:
  Result<records::Mutated> add() {
    const std::string id = name_ + std::to_string(++count_);
    const std::string value = fmt::format("v{}", count_);
    const json::Object record{{"item_id", id}, {"value", value}};
    say(fmt::format("? add {} {}", id, value));
    Result<records::Mutated> added = records::add_records(type_, nullptr, {&record}, {}, {});
    if (added.ok()) mine_.push_back(id);
    return added;
  }

  records::DataType& type_;
  std::mt19937 random_;
  std::string name_;
  std::vector<std::string> mine_;
  int count_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  log::set_level(log::Level::kError);
  records::StoreOptions options;
  options.path = arguments[1];
  options.writable = true;
  // Steps are counted where nothing happens in the background.
  options.fold_after = count < 5 ? std::chrono::milliseconds(5) : std::chrono::milliseconds(3'600'000);
  Result<std::unique_ptr<records::Store>> store = records::Store::open(options);
  if (!store.ok()) return fail(store.error());
  Result<std::shared_ptr<records::DataType>> type = (*store)->find("items");
  if (!type.ok()) return fail(type.error());
  Writer writer(**type, static_cast<unsigned>(std::atoi(arguments[2])));
  say("ready");
  const unsigned steps = count < 5 ? 1U << 30U : static_cast<unsigned>(std::atoi(arguments[4]));
  const fs::FaultInjection armed = fs::FaultInjection::killing_step(steps);
  for (int i = 0; i < std::atoi(arguments[3]); ++i) {
    const Result<records::Mutated> done = writer.next();
    if (!done.ok()) return fail(done.error());
    say("! " + done->operation.rows.front().audit_id);
  }
  if (const Status folded = (*store)->fold_all(); !folded.ok()) return fail(folded.error());
  say("end");
  return 0;
}
