#include "call/answers.h"

#include <fmt/format.h>

#include "sluice/json/schema.h"
#include "sluice/protocol/wire/questions.h"

namespace sluice::server {
namespace {

Status check_form(const protocol::ElicitForm& form, const json::Object& content) {
  SLUICE_TRY(const json::Schema schema, json::Schema::compile(form.schema));
  const std::vector<json::SchemaProblem> problems = schema.validate(json::Value(content), "content");
  if (problems.empty()) return {};
  return invalid_input(fmt::format("{}: {}", problems.front().path, problems.front().message));
}

}  // namespace

Result<protocol::Answer> read_answer(const protocol::Question& question, const json::Value& response) {
  SLUICE_TRY(protocol::Answer answer, protocol::decode_answer(question.body, response));
  const auto* form = std::get_if<protocol::ElicitForm>(&question.body);
  const auto* filled = std::get_if<protocol::ElicitAnswer>(&answer);
  if (form != nullptr && filled != nullptr && filled->action == protocol::ElicitAction::kAccept) {
    SLUICE_CHECK(check_form(*form, filled->content));
  }
  return answer;
}

std::optional<Error> cannot_ask(const std::vector<protocol::Question>& questions,
                                const protocol::ClientCapabilities& client) {
  for (const protocol::Question& question : questions) {
    if (protocol::can_answer(question.body, client)) continue;
    return make_error(ErrorKind::kMissingCapability,
                      fmt::format("the client cannot be asked by {}", protocol::method_of(question.body)))
        .with_data(std::string(protocol::required_capability(question.body)));
  }
  return std::nullopt;
}

}  // namespace sluice::server
