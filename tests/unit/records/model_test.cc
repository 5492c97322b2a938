#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

struct Task {
  std::string id;
  std::string title;
  int priority = 0;
};

// What the store must be equal to: a list in memory.
class Model {
 public:
  std::string text() const {
    std::string out;
    for (const Task& task : tasks) {
      out += fmt::format(R"({}{{"task_id":"{}","title":"{}","priority":{}}})", out.empty() ? "" : ",",
                         task.id, task.title, task.priority);
    }
    return "[" + out + "]";
  }

  std::vector<Task> tasks;
};

// Random operations, each checked against the model. SLUICE_MODEL_OPERATIONS asks for more of them.
TEST(Model, IsEqualAfterEachOfManyRandomOperations) {
  const char* wanted =
      std::getenv("SLUICE_MODEL_OPERATIONS");  // NOLINT(concurrency-mt-unsafe): no thread yet.
  const int operations = wanted == nullptr ? 400 : std::atoi(wanted);
  const RecordFolder records;
  records.make("tasks",
               "SELECT ''::VARCHAR AS task_id, ''::VARCHAR AS title, 0::INTEGER AS priority LIMIT 0");
  auto store = records.open();
  auto other = records.open();
  std::mt19937 random(4711);  // NOLINT(cert-msc51-cpp): the same every time.
  Model model;
  struct Done {
    std::string audit_id;
    Model before;
    std::int64_t version;
  };
  std::vector<Done> done;
  for (int i = 0; i < operations; ++i) {
    Store& used = random() % 2 == 0 ? *store : *other;
    const auto kind = random() % 100;
    const Model before = model;
    Result<Mutated> result = internal_error("nothing");
    const int priority = static_cast<int>(random() % 10);
    if (kind < 45 || model.tasks.empty()) {
      const Task task{
          .id = fmt::format("t{}", i), .title = fmt::format("title {}", random() % 5), .priority = priority};
      result = add(used, fmt::format(R"({{"task_id":"{}","title":"{}","priority":{}}})", task.id, task.title,
                                     task.priority));
      model.tasks.push_back(task);
    } else if (kind < 65) {
      int matched = 0;
      for (Task& task : model.tasks) {
        if (task.priority != priority) continue;
        task.title = fmt::format("changed {}", i);
        ++matched;
      }
      result = update(used, fmt::format(R"({{"priority":{}}})", priority),
                      fmt::format(R"({{"title":"changed {}"}})", i));
      if (matched == 0) {
        ASSERT_EQ(code_of(result), "no_match");
        continue;
      }
    } else if (kind < 78) {
      const std::string id = model.tasks[random() % model.tasks.size()].id;
      std::erase_if(model.tasks, [&](const Task& task) { return task.id == id; });
      result = remove(used, fmt::format(R"({{"task_id":"{}"}})", id));
    } else if (kind < 88 && !done.empty()) {
      result = undo(used, done.back().audit_id);  // The newest can always be undone, as a whole or not.
      model = done.back().before;
    } else if (kind < 96) {
      ASSERT_TRUE(used.fold_all().ok());
      continue;
    } else if (kind < 98) {
      store = records.open();
      continue;
    } else if (!done.empty()) {
      const Done& moment = done[done.size() - 1 - random() % std::min<std::size_t>(done.size(), 8)];
      Operation operation;
      operation.kind = "restore";
      operation.id = fmt::format("restore-{:08}", i);
      const auto restored = type_of(used)->restore(moment.version, operation, {});
      ASSERT_TRUE(restored.ok()) << restored.error().message;
      model = moment.before;
      done.clear();
      ASSERT_EQ(records_of(used), model.text()) << i;
      continue;
    } else {
      continue;
    }
    ASSERT_EQ(code_of(result), "") << i << " " << result.error().message;
    done.push_back({.audit_id = result->operation.id, .before = before, .version = result->version_before});
    ASSERT_EQ(records_of(random() % 2 == 0 ? *store : *other), model.text()) << i;
  }
}

}  // namespace
}  // namespace sluice::records::testing
