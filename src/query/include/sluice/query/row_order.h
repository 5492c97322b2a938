#pragma once

#include "sluice/expression/question.h"

namespace sluice::query {

// Whether the answer to a question in SQL may depend on the order in which the rows of its table are read. It
// does not if the answer is groups or a total, computed by nothing that sees the order. It is decided by the
// words of the text: a doubtful one costs no more than an order that nobody needs.
bool depends_on_order(const expression::Question& question);

}  // namespace sluice::query
