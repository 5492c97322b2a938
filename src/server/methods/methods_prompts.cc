#include <utility>

#include "sluice/protocol/wire/params.h"

#include "call/call_context.h"
#include "methods/methods.h"

namespace sluice::server {
namespace {

Result<std::shared_ptr<catalog::Provider>> find_completer(const Core& core,
                                                          const protocol::CompletionRequest& request,
                                                          const Principal& principal) {
  if (const auto* prompt = std::get_if<protocol::PromptReference>(&request.reference))
    return core.catalog->find_prompt(prompt->name, principal);
  return core.catalog->find_template(std::get<protocol::TemplateReference>(request.reference).uri_template,
                                     principal);
}

}  // namespace

Result<std::string> list_prompts(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::ListParams params, protocol::decode_list(call->params));
  core.catalog->settle(call->stop.get_token());
  SLUICE_TRY(const protocol::ListPage<protocol::Prompt> page,
             core.catalog->prompts(params.cursor, call->principal));
  return protocol::list_result(page, core.style(*call));
}

Result<std::string> get_prompt(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::GetPromptParams params, protocol::decode_get_prompt(call->params));
  SLUICE_TRY(const std::shared_ptr<catalog::Provider> provider,
             core.catalog->find_prompt(params.name, call->principal));
  SLUICE_TRY(const std::unique_ptr<CallContext> context, CallContext::create(core, call));
  Result<protocol::PromptResult> result =
      provider->prompts()->get_prompt(params.name, params.arguments, *context);
  if (!result && result.error().kind == ErrorKind::kInputRequired) return context->input_required();
  if (!result) return std::move(result).error();
  return protocol::prompt_result(*result, core.style(*call));
}

Result<std::string> complete_argument(Core& core, const std::shared_ptr<Call>& call) {
  SLUICE_TRY(const protocol::CompletionRequest request, protocol::decode_complete(call->params));
  SLUICE_TRY(const std::shared_ptr<catalog::Provider> provider,
             find_completer(core, request, call->principal));
  SLUICE_TRY(const std::unique_ptr<CallContext> context, CallContext::create(core, call));
  catalog::CompletionProvider* const completions = provider->completions();
  protocol::Completion completion;
  if (completions != nullptr) {
    SLUICE_TRY(completion, completions->complete(request, *context));
  }
  return protocol::completion_result(completion, core.style(*call));
}

}  // namespace sluice::server
