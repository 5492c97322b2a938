#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/guarded_plan.h"
#include "sluice/records/view.h"

namespace sluice::records {

// Whether a row's place is a column of a Scan: the last one, called kRowColumn.
enum class RowPlaces : std::uint8_t { kHidden, kLastColumn };
// The rows of the view, in the order of the records only if View::is_ordered.
plan::NodePtr scan_of(const View& view, RowPlaces places = RowPlaces::kHidden);

// How a statement names the columns of a view, if not as the view does.
struct ViewColumns {
  std::string_view list;   // Behind SELECT, in the order of the Scan's columns.
  bool is_sorted = false;  // The Scan yields rows in the order of the records.
};

// The plan as the view's engine runs it, with the parameters of the view first. Without SQL if the plan is
// not one SELECT over one Scan.
engine::Statement statement_of(const View& view, const plan::PhysicalPlan& plan);
engine::Statement statement_of(const View& view, const plan::PhysicalPlan& plan, const ViewColumns& columns);

// The rows of the view that meet the condition, as a view.
Result<View> filtered_view(const View& view, const plan::Condition& condition, const plan::Guard& guard);

}  // namespace sluice::records
