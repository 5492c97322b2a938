#include "plot/plot_sql.h"

#include <fmt/format.h>

#include "sluice/engine/sql.h"

namespace sluice::datasets::plotting {

namespace {

using engine::Field;
using engine::quote_name;
using plot::Kind;

// Of dates: those that a calendar of 32 bits for days is sure to hold.
constexpr const char* kMicrosecondsMax = "9e17";

// A column as a number: NULL where it cannot be drawn.
std::string number_of(const Field& column) {
  const std::string name = quote_name(column.name);
  if (use_of(column.type) == ColumnUse::kTime) {
    const bool has_zone = column.type.id == engine::TypeId::kTimestampTz;
    const std::string moment = has_zone ? name : fmt::format("TRY_CAST({} AS TIMESTAMP)", name);
    return fmt::format(
        "CASE WHEN isfinite({0}) AND abs(CAST(epoch_us({0}) AS DOUBLE)) <= {1} THEN CAST(epoch_us({0}) AS "
        "DOUBLE) END",
        moment, kMicrosecondsMax);
  }
  return fmt::format("CASE WHEN abs(CAST({0} AS DOUBLE)) <= 1e300 THEN CAST({0} AS DOUBLE) END", name);
}

std::string text_of(const Field& column) {
  return fmt::format("CAST({} AS VARCHAR)", quote_name(column.name));
}

std::string positive(const std::string& number, plot::Scale scale) {
  if (scale != plot::Scale::kLog) return number;
  return fmt::format("CASE WHEN ({0}) > 0 THEN {0} END", number);
}

// How the values of `value` that share a mark become one.
std::string folded(Fold fold, std::string_view value) {
  switch (fold) {
    case Fold::kNone:
      return fmt::format("any_value({})", value);
    case Fold::kSum:
      return fmt::format("sum({})", value);
    case Fold::kAverage:
      return fmt::format("avg({})", value);
    case Fold::kMin:
      return fmt::format("min({})", value);
    case Fold::kMax:
      return fmt::format("max({})", value);
    case Fold::kMedian:
      return fmt::format("median({})", value);
    case Fold::kCount:
      return fmt::format("count({})", value);
    case Fold::kCountDistinct:
      return fmt::format("count(DISTINCT {})", value);
  }
  return {};
}

// Builds the statement: common tables one after the other, then what is selected from them.
class MarksStatement {
 public:
  MarksStatement(const PlotRequest& request, const PlotColumns& columns)
      : request_(request),
        columns_(columns),
        x_is_category_(is_category(columns, columns.x)),
        y_is_category_(columns.y && is_category(columns, *columns.y) && columns.kind == Kind::kHeatmap) {}

  std::string build() {
    add_data();
    if (x_is_category_) add_categories("cx", "x", "xo", Part::kXCategory, categories_max(request_, columns_));
    if (y_is_category_) add_categories("cy", "y", "yo", Part::kYCategory, kCellsMax);
    if (columns_.series) add_series();
    add_placed();
    switch (columns_.kind) {
      case Kind::kBar:
        add_groups();
        add_all_groups();
        break;
      case Kind::kLine:
      case Kind::kArea:
        add_groups();
        add_line(Part::kMark);
        break;
      case Kind::kPoint:
        add_points();
        break;
      case Kind::kHistogram:
        add_bins();
        break;
      case Kind::kHeatmap:
        add_heatmap();
        break;
    }
    return tables_ + " SELECT * FROM (" + selects_ + ") ORDER BY part, c, a, b";
  }

 private:
  void table(std::string_view name, std::string_view select) {
    tables_ += fmt::format(", {} AS MATERIALIZED ({})", name, select);
  }
  // `values` are the columns a, b, c, …; `from` is what follows them.
  void select(Part part, std::initializer_list<std::string_view> values, std::string_view from,
              std::string_view label = "NULL") {
    std::string row = std::to_string(static_cast<int>(part)) + " AS part";
    const char* name = "abcdef";
    auto value = values.begin();
    for (int i = 0; i < 6; ++i, ++name) {
      const std::string_view expression = value != values.end() ? *value++ : "NULL";
      row += fmt::format(", CAST({} AS DOUBLE) AS {}", expression, *name);
    }
    row += fmt::format(", left(CAST({} AS VARCHAR), {}) AS label", label, kLabelBytesMax / 4);
    selects_ += fmt::format("{}SELECT {} FROM {}", selects_.empty() ? "" : " UNION ALL ", row, from);
  }

  std::string y_expression() const {
    if (!columns_.y) return columns_.kind == Kind::kHistogram ? "0" : "1";
    if (request_.fold == Fold::kCount || request_.fold == Fold::kCountDistinct || y_is_category_)
      return text_of(*columns_.y);
    return positive(number_of(*columns_.y), request_.y_scale);
  }

  // d: the columns that are drawn, with the number of the row.
  void add_data() {
    const std::string x =
        x_is_category_ ? text_of(columns_.x) : positive(number_of(columns_.x), request_.x_scale);
    const auto order = [](const Field& column) {
      return use_of(column.type) == ColumnUse::kText ? std::string("NULL") : number_of(column);
    };
    table(
        "d",
        fmt::format(
            "SELECT row_number() OVER () AS r, {} AS x, {} AS xo, {} AS y, {} AS yo, {} AS is_null, {} AS s, "
            "{} AS v FROM answer",
            x, order(columns_.x), y_expression(), columns_.y ? order(*columns_.y) : "NULL", null_test(),
            columns_.series ? text_of(*columns_.series) : "NULL",
            columns_.value ? number_of(*columns_.value) : "NULL"));
    const std::string_view x_count = x_is_category_ ? "0" : "count(*) FILTER (WHERE x IS NULL)";
    const std::string_view unusable = columns_.value   ? "count(*) FILTER (WHERE v IS NULL AND NOT is_null)"
                                      : y_is_category_ ? "0"
                                                       : "count(*) FILTER (WHERE y IS NULL AND NOT is_null)";
    select(Part::kTotals,
           {"count(*)", "count(*) FILTER (WHERE is_null)", unusable, x_count,
            x_is_category_ ? "(SELECT count(*) FROM cx)" : "0",
            columns_.series ? "(SELECT count(*) FROM cs)" : "0"},
           "d");
  }

  std::string null_test() const {
    if (columns_.value) return quote_name(columns_.value->name) + " IS NULL";
    if (columns_.y && !y_is_category_) return quote_name(columns_.y->name) + " IS NULL";
    return "false";
  }

  // The different values of a column, numbered from 0 in the order in which they are drawn.
  void add_categories(std::string_view name, std::string_view column, std::string_view order, Part part,
                      std::int64_t most) {
    const bool is_heatmap = columns_.kind == Kind::kHeatmap;
    const bool by_size = request_.fold != Fold::kNone && !is_heatmap;
    const std::string size =
        by_size ? fmt::format("abs(CAST({} AS DOUBLE))", folded(request_.fold, "y")) : "0";
    const std::string_view ordering = by_size      ? "size DESC NULLS LAST, r"
                                      : is_heatmap ? "o NULLS LAST, r"
                                                   : "r";
    table(name,
          fmt::format("SELECT {0}, row_number() OVER (ORDER BY {1}) - 1 AS i FROM (SELECT {0}, min(r) AS r, "
                      "min({2}) AS o, {3} AS size FROM d GROUP BY {0})",
                      column, ordering, order, size));
    select(part, {"i"}, fmt::format("{} WHERE i < {}", name, most), column);
  }

  void add_series() {
    table("cs",
          "SELECT s, row_number() OVER (ORDER BY r) - 1 AS j FROM (SELECT s, min(r) AS r FROM d GROUP BY s)");
    select(Part::kSeries, {"j"}, fmt::format("cs WHERE j < {}", kSeriesMax), "s");
  }

  // p: every row with numbers for its x, its series and, in heat maps, its y.
  void add_placed() {
    std::string from = "d";
    std::string where = "true";
    std::string x = "d.x";
    if (x_is_category_) {
      const std::int64_t most = categories_max(request_, columns_);
      from += " JOIN cx ON d.x IS NOT DISTINCT FROM cx.x";
      x = fmt::format("CAST(least(cx.i, {}) AS DOUBLE)", most);
      if (!adds_up_others(request_, columns_)) where += fmt::format(" AND cx.i < {}", most);
    } else {
      where += " AND d.x IS NOT NULL";
      if (request_.x_range)
        where += fmt::format(" AND d.x BETWEEN {} AND {}", request_.x_range->low, request_.x_range->high);
    }
    if (y_is_category_) {
      from += " JOIN cy ON d.y IS NOT DISTINCT FROM cy.y";
      where += fmt::format(" AND cy.i < {}", kCellsMax);
    }
    if (columns_.series) {
      from += " JOIN cs ON d.s IS NOT DISTINCT FROM cs.s";
      where += fmt::format(" AND cs.j < {}", kSeriesMax);
    }
    table("p", fmt::format("SELECT d.r, {} AS x, {} AS y, {} AS j, d.v FROM {} WHERE {}", x,
                           y_is_category_ ? "CAST(cy.i AS DOUBLE)" : "d.y", columns_.series ? "cs.j" : "0",
                           from, where));
  }

  // g: one row for each x and series.
  void add_groups() {
    table("g", fmt::format("SELECT x, j, count(*) AS n, CAST({} AS DOUBLE) AS y FROM p GROUP BY x, j",
                           folded(request_.fold, "y")));
    select(Part::kLayout, {"NULL", "NULL", "NULL", "NULL", "NULL", "max(n)"}, "g");
  }
  void add_all_groups() { select(Part::kMark, {"x", "y", "j"}, "g"); }

  std::string across(std::string_view value) const {
    return request_.x_scale == plot::Scale::kLog ? fmt::format("ln({})", value) : std::string(value);
  }
  std::string upwards(std::string_view value) const {
    return request_.y_scale == plot::Scale::kLog ? fmt::format("ln({})", value) : std::string(value);
  }

  // Which of `count` equal parts between `low` and `high` a value is in.
  static std::string part_of(std::string_view value, std::string_view low, std::string_view high,
                             std::int64_t count) {
    return fmt::format(
        "CASE WHEN {2} > {1} THEN least(floor(({0} - {1}) / ({2} - {1}) * {3}), {4}) ELSE 0 END", value, low,
        high, count, count - 1);
  }

  // The points of g: all of a series, or where there are many the first, the last, the least and the greatest
  // of each of kLineColumns parts, which look the same.
  void add_line(Part part) {
    table("line_range", "SELECT min(x) AS low, max(x) AS high FROM g");
    table("line_size", "SELECT j, count(*) AS n FROM g GROUP BY j");
    table("long_line",
          fmt::format("SELECT g.j, g.x, g.y, {} AS b FROM g JOIN line_size USING (j), line_range WHERE "
                      "line_size.n > {}",
                      part_of(across("g.x"), across("low"), across("high"), kLineColumns), kLinePointsMax));
    table("line_ends",
          "SELECT j, unnest([min(x), max(x), arg_min(x, y), arg_max(x, y)]) AS x, unnest([arg_min(y, x), "
          "arg_max(y, x), min(y), max(y)]) AS y FROM long_line WHERE y IS NOT NULL GROUP BY j, b");
    select(part, {"x", "y", "j"},
           fmt::format("(SELECT g.x, g.y, g.j FROM g JOIN line_size USING (j) WHERE line_size.n <= {})",
                       kLinePointsMax));
    select(part, {"x", "y", "j"}, "(SELECT DISTINCT x, y, j FROM line_ends)");
    select(part, {"x", "NULL", "j"},
           "(SELECT j, min(x) AS x FROM long_line GROUP BY j, b HAVING count(y) = 0)");
  }

  // q: the rows that are points; extent: how many, and where.
  void add_extent() {
    table("q", "SELECT x, y, j FROM p WHERE y IS NOT NULL");
    table("extent",
          "SELECT count(*) AS n, min(x) AS left_x, max(x) AS right_x, min(y) AS low_y, max(y) AS high_y FROM "
          "q");
    select(Part::kLayout, {"left_x", "right_x", "low_y", "high_y", "n"}, "extent");
  }
  void add_cells(std::string_view condition) {
    const std::string a = part_of(across("x"), across("left_x"), across("right_x"), kCellsAcross);
    const std::string b = part_of(upwards("y"), upwards("low_y"), upwards("high_y"), kCellsDown);
    select(Part::kCell, {"i", "k", "NULL", "n"},
           fmt::format("(SELECT {} AS i, {} AS k, count(*) AS n FROM q, extent WHERE {} GROUP BY 1, 2)", a, b,
                       condition));
  }

  void add_points() {
    add_extent();
    std::string is_ordered = "false";
    if (columns_.may_be_line) {
      table("ordered",
            "SELECT coalesce(bool_and(x > before), false) AS yes FROM (SELECT x, lag(x) OVER (PARTITION BY j "
            "ORDER BY "
            "r) AS before FROM p)");
      is_ordered = "(SELECT yes FROM ordered)";
      table("g", "SELECT x, j, 1 AS n, y FROM p WHERE (SELECT yes FROM ordered)");
      add_line(Part::kOrderedMark);
    }
    const std::string few = fmt::format("extent.n <= {}", kPointsMax);
    select(Part::kMark, {"x", "y", "j"}, fmt::format("q, extent WHERE {} AND NOT {}", few, is_ordered));
    if (!x_is_category_) add_cells(fmt::format("NOT ({}) AND NOT {}", few, is_ordered));
  }

  void add_bins() {
    add_extent();
    const bool is_whole = engine::is_integer(columns_.x.type.id);
    if (request_.bins) {
      table("width",
            fmt::format("SELECT CASE WHEN right_x > left_x THEN (right_x - left_x) / {} ELSE 1 END AS step, "
                        "left_x AS origin, {} AS last FROM extent",
                        *request_.bins, *request_.bins - 1));
    } else {
      // A step of 1, 2 or 5 times a power of ten, for about twice the cube root of the number of rows.
      table("width", fmt::format("SELECT {} AS step, 0 AS origin, 1e300 AS last FROM (SELECT raw, power(10, "
                                 "floor(log10(raw))) AS p "
                                 "FROM (SELECT CASE WHEN right_x > left_x THEN (right_x - left_x) / "
                                 "least(60, greatest(5, ceil(2 * "
                                 "cbrt(n)))) ELSE 1 END AS raw FROM extent))",
                                 is_whole ? "greatest(1, CASE WHEN raw <= p THEN p WHEN raw <= 2 * p THEN 2 "
                                            "* p WHEN raw <= 5 * p THEN "
                                            "5 * p ELSE 10 * p END)"
                                          : "CASE WHEN raw <= p THEN p WHEN raw <= 2 * p THEN 2 * p WHEN raw "
                                            "<= 5 * p THEN 5 * p ELSE "
                                            "10 * p END"));
    }
    select(Part::kBin, {"i", "n", "NULL", "step", "origin"},
           "(SELECT least(floor((x - origin) / step + 1e-9), last) AS i, count(*) AS n, any_value(step) AS "
           "step, "
           "any_value(origin) AS origin FROM q, width GROUP BY 1)");
  }

  void add_heatmap() {
    if (!x_is_category_ && !y_is_category_) {
      add_extent();
      add_cells("true");
      return;
    }
    const std::string value = columns_.value ? folded(request_.fold, "v") : "count(*)";
    table("g", fmt::format("SELECT x, y, count(*) AS n, {} AS v FROM p GROUP BY x, y", value));
    select(Part::kLayout, {"NULL", "NULL", "NULL", "NULL", "NULL", columns_.value ? "max(n)" : "1"}, "g");
    select(Part::kMark, {"x", "y", "0", "v"}, "g");
  }

  const PlotRequest& request_;
  const PlotColumns& columns_;
  const bool x_is_category_;
  const bool y_is_category_;
  std::string tables_;
  std::string selects_;
};

}  // namespace

bool is_category(const PlotColumns& columns, const Field& column) {
  if (columns.kind == Kind::kBar) return true;
  if (columns.kind == Kind::kHeatmap && columns.y) {
    const auto is_text = [](const Field& one) { return use_of(one.type) == ColumnUse::kText; };
    return columns.value || is_text(columns.x) || is_text(*columns.y);
  }
  return use_of(column.type) == ColumnUse::kText;
}

std::int64_t categories_max(const PlotRequest& request, const PlotColumns& columns) {
  constexpr std::int64_t kTopUsual = 20;
  switch (columns.kind) {
    case Kind::kBar:
      return request.top.value_or(request.fold == Fold::kNone ? kBarsMax : kTopUsual);
    case Kind::kHeatmap:
      return kCellsMax;
    default:
      return kCategoriesMax;
  }
}

bool adds_up_others(const PlotRequest& request, const PlotColumns& columns) {
  return columns.kind == Kind::kBar && (request.fold == Fold::kSum || request.fold == Fold::kCount);
}

std::string marks_sql(const PlotRequest& request, const PlotColumns& columns) {
  return MarksStatement(request, columns).build();
}

}  // namespace sluice::datasets::plotting
