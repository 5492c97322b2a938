#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"

#include "plot/plot_request.h"

namespace sluice::datasets::plotting {

namespace {

using engine::Field;
using plot::Kind;

std::string names_of(const std::vector<Field>& columns, bool numbers_only) {
  constexpr std::size_t kNamesMax = 12;
  std::string out;
  std::size_t count = 0;
  for (const Field& column : columns) {
    if (numbers_only && use_of(column.type) != ColumnUse::kNumber) continue;
    if (++count > kNamesMax) return out + ", …";
    out += (out.empty() ? "" : ", ") + excerpt(column.name, 60);
  }
  return out;
}

Error not_plottable(std::string message, std::string_view hint) {
  return invalid_input(message).with_code("not_plottable").with_hint(hint);
}

// Finds and takes columns, each at most once.
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<Field>& columns)
      : columns_(columns), is_taken_(columns.size(), false) {}

  // The column of that name; as it is written, else in any case of its letters.
  Result<Field> named(const std::string& name) {
    for (const bool ignores_case : {false, true}) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool is_it =
            ignores_case ? equal_ignoring_case(columns_[i].name, name) : columns_[i].name == name;
        if (is_it) return take(i);
      }
    }
    std::vector<std::string> names;
    names.reserve(columns_.size());
    for (const Field& column : columns_) names.push_back(column.name);
    const std::string nearest = nearest_name(name, names);
    return invalid_input("the rows have no column " + excerpt(name))
        .with_code("invalid_column")
        .with_hint(nearest.empty() ? "There are: " + names_of(columns_, false) + "."
                                   : "Did you mean " + excerpt(nearest) + "?");
  }

  // The first column that is left and has a use that `accepts`.
  template <typename Accepts>
  std::optional<Field> next(Accepts accepts) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!is_taken_[i] && accepts(use_of(columns_[i].type))) return take(i);
    }
    return std::nullopt;
  }

  std::vector<std::string> left() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!is_taken_[i]) out.push_back(columns_[i].name);
    }
    return out;
  }

 private:
  Field take(std::size_t index) {
    is_taken_[index] = true;
    return columns_[index];
  }

  const std::vector<Field>& columns_;
  std::vector<bool> is_taken_;
};

bool is_number(ColumnUse use) { return use == ColumnUse::kNumber; }
bool is_anything(ColumnUse /*use*/) { return true; }
bool is_no_number(ColumnUse use) { return use != ColumnUse::kNumber; }

Error no_number(const PlotColumns& out, const std::vector<Field>& columns) {
  const std::string numbers = names_of(columns, true);
  const std::string column = sql_spelling(out.x.name);
  return not_plottable("there is no column of numbers to draw over " + excerpt(out.x.name),
                       numbers.empty()
                           ? fmt::format("Count rows: SELECT {0}, count(*) AS n … GROUP BY {0}.", column)
                           : "Columns of numbers: " + numbers + ".");
}

Status check_number(const Field& column, const std::vector<Field>& columns) {
  if (use_of(column.type) == ColumnUse::kNumber) return {};
  const std::string numbers = names_of(columns, true);
  return not_plottable(excerpt(column.name) + " is no column of numbers",
                       numbers.empty() ? "Cast it, or count rows." : "Columns of numbers: " + numbers + ".");
}

// Without a kind: what is usual for the types of x and y.
Kind usual_kind(const PlotColumns& columns) {
  switch (use_of(columns.x.type)) {
    case ColumnUse::kTime:
      return columns.y ? Kind::kLine : Kind::kHistogram;
    case ColumnUse::kNumber:
      return columns.y ? Kind::kPoint : Kind::kHistogram;
    case ColumnUse::kText:
      break;
  }
  return Kind::kBar;
}

Status choose_heatmap(const PlotRequest& request, ColumnChoice& choice, PlotColumns& out,
                      const std::vector<Field>& columns) {
  if (!out.y) out.y = choice.next(is_anything);
  if (!out.y)
    return not_plottable("a heat map needs two columns, and there is one", "Select a second column.");
  if (!request.series.empty()) {
    SLUICE_TRY(out.value, choice.named(request.series));
    return check_number(*out.value, columns);
  }
  out.value = choice.next(is_number);
  return {};
}

}  // namespace

ColumnUse use_of(const engine::Type& type) {
  if (engine::is_number(type.id)) return ColumnUse::kNumber;
  switch (type.id) {
    case engine::TypeId::kDate:
    case engine::TypeId::kTimestampS:
    case engine::TypeId::kTimestampMs:
    case engine::TypeId::kTimestampUs:
    case engine::TypeId::kTimestampNs:
    case engine::TypeId::kTimestampTz:
      return ColumnUse::kTime;
    default:
      return ColumnUse::kText;
  }
}

Result<PlotColumns> choose_columns(const PlotRequest& request, const std::vector<Field>& columns) {
  ColumnChoice choice(columns);
  PlotColumns out;
  const bool is_heatmap = request.kind == Kind::kHeatmap;
  // Named columns first, so that no other place takes them.
  std::optional<Field> x;
  if (!request.x.empty()) {
    SLUICE_TRY(x, choice.named(request.x));
  }
  if (!request.y.empty()) {
    SLUICE_TRY(out.y, choice.named(request.y));
  }
  if (!request.series.empty() && !is_heatmap) {
    SLUICE_TRY(out.series, choice.named(request.series));
  }
  if (!x && request.kind == Kind::kHistogram) x = choice.next(is_number);
  if (!x) x = choice.next(is_anything);
  if (!x) return not_plottable("there is no column to draw over", "Select a column for x and one for y.");
  out.x = *std::move(x);
  if (is_heatmap) {
    out.kind = Kind::kHeatmap;
    SLUICE_CHECK(choose_heatmap(request, choice, out, columns));
    if (!request.is_whole_dataset) out.left_out = choice.left();
    return out;
  }
  if (!out.y && request.kind != Kind::kHistogram && request.fold != Fold::kCount)
    out.y = choice.next(is_number);
  out.kind = request.kind ? *request.kind : usual_kind(out);
  if (out.kind == Kind::kHistogram) {
    out.y.reset();
    out.series.reset();
    SLUICE_CHECK(check_number(out.x, columns));
    if (!request.is_whole_dataset) out.left_out = choice.left();
    return out;
  }
  const bool takes_any = request.fold == Fold::kCount || request.fold == Fold::kCountDistinct;
  if (!out.y && request.fold != Fold::kCount) return no_number(out, columns);
  if (out.y && !takes_any) SLUICE_CHECK(check_number(*out.y, columns));
  if (!out.series && !request.is_whole_dataset) out.series = choice.next(is_no_number);
  out.may_be_line = !request.kind && out.kind == Kind::kPoint;
  if (!request.is_whole_dataset) out.left_out = choice.left();
  return out;
}

}  // namespace sluice::datasets::plotting
