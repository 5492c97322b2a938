#include "unanswered.h"

#include <variant>

namespace sluice::gateway {

Result<protocol::Answer> answer_of_nobody(const protocol::QuestionBody& question, Error why) {
  if (std::holds_alternative<protocol::ListRoots>(question)) return protocol::RootsAnswer{};
  if (std::holds_alternative<protocol::Sample>(question)) return why;
  return protocol::ElicitAnswer{};
}

}  // namespace sluice::gateway
