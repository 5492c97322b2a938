#include "sluice/expression/question.h"

// A question is what is estimated, answered and sent to a database.
void ask(sluice::expression::Question& question, const sluice::plan::NodePtr& plan) {
#ifdef WRONG
  question.plan = plan;
#else
  question.plan = sluice::plan::physical_plan(plan, question.guard);
#endif
}
