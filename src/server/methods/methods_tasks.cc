#include <fmt/format.h>

#include "sluice/protocol/wire/params.h"

#include "methods/methods.h"

namespace sluice::server {
namespace {

Status require_tasks(const Call& call) {
  if (call.client.tasks()) return {};
  return make_error(ErrorKind::kMissingCapability, fmt::format("{} needs the tasks extension", call.method))
      .with_data(fmt::format(R"({{"extensions":{{"{}":{{}}}}}})", protocol::kTasksExtension));
}

Result<std::shared_ptr<Task>> find_task(Core& core, const Call& call) {
  SLUICE_CHECK(require_tasks(call));
  SLUICE_TRY(const std::string id, protocol::decode_task_id(call.params));
  return core.tasks.find(id, call.principal);
}

}  // namespace

Result<std::string> get_task(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const std::shared_ptr<Task> task, find_task(core, *call));
  return protocol::task_result(task->state(), core.style(*call));
}

Result<std::string> update_task(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const std::shared_ptr<Task> task, find_task(core, *call));
  SLUICE_TRY(const json::Object responses, protocol::decode_input_responses(call->params));
  task->answer(responses);
  return protocol::empty_result(core.style(*call));
}

Result<std::string> cancel_task(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const std::shared_ptr<Task> task, find_task(core, *call));
  task->cancel();
  return protocol::empty_result(core.style(*call));
}

}  // namespace sluice::server
