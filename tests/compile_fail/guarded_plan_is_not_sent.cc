#include "sluice/plan/fragment.h"

namespace plan = sluice::plan;

bool is_sent(const plan::GuardedPlan& guarded, const plan::Target& target) {
#ifdef WRONG
  return plan::fragment(guarded, target).has_value();
#else
  return plan::fragment(plan::PhysicalPlan(guarded), target).has_value();
#endif
}
