#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/revision.h"

namespace sluice::protocol {

// The method that asks it: "elicitation/create", "sampling/createMessage" or "roots/list".
std::string_view method_of(const QuestionBody& question);

// The params of that method as JSON text.
std::string question_params(const QuestionBody& question, Revision revision);

// The client's result for it. Fails where the result has the wrong shape; whether the content of a form fits
// its schema is for the caller to check.
Result<Answer> decode_answer(const QuestionBody& question, const json::Value& result);

// Whether a client with these capabilities can be asked it; if not, the capability it lacks, as the JSON
// object that stands in `requiredCapabilities`.
bool can_answer(const QuestionBody& question, const ClientCapabilities& client);
std::string_view required_capability(const QuestionBody& question);

}  // namespace sluice::protocol
