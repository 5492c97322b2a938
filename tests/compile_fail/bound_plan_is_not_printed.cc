#include "sluice/plan/engine_sql.h"

namespace plan = sluice::plan;

std::string printed(const plan::BoundPlan& bound, const plan::Guard& guard) {
#ifdef WRONG
  return plan::engine_sql(bound).sql;
#else
  return plan::engine_sql(plan::PhysicalPlan(plan::GuardedPlan(bound, guard))).sql;
#endif
}
