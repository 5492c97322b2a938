#include "column_forms.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/query/rows_reader.h"

#include "date_order.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

// A double keeps every number of 15 digits.
constexpr std::size_t kSafeTextBytes = 15;
// Of a decimal of 38 digits, so that ten billion of the largest values can be summed.
constexpr std::int64_t kDecimalDigitsMax = 28;
// Of tests: the engine's planner takes time that grows with the square of their number.
constexpr std::size_t kStatementBytes = 100'000;
constexpr std::size_t kDistinctDatesMax = 10'000;
constexpr std::size_t kNotesMax = 10;

bool is_temporal_name(std::string_view type) {
  return type == "DATE" || type == "TIME" || type.starts_with("TIMESTAMP");
}

// 007, +0123, 0x1F, 0b11 and 1_000.
std::string code_test(const std::string& x) {
  return fmt::format("regexp_matches({}, '^\\s*[+-]?0[0-9xXbB]|_')", x);
}

// The digits of a number without its sign, point, exponent, and the zeros at both ends.
std::string digits_of(const std::string& text) {
  return fmt::format(
      "regexp_replace(regexp_replace(regexp_replace({}, '[eE].*$', ''), '[^0-9]', '', 'g'), '^0+|0+$', '', "
      "'g')",
      text);
}

// Whether a double changes the number.
std::string loss_test(const std::string& x) {
  return fmt::format("CASE WHEN strlen({0}) > {1} THEN {2} <> {3} ELSE false END", x, kSafeTextBytes,
                     digits_of(x), digits_of(fmt::format("CAST(TRY_CAST({} AS DOUBLE) AS VARCHAR)", x)));
}

std::string any_of(const std::string& test) { return fmt::format("coalesce(bool_or({}), false)", test); }
std::string all_of(const std::string& test) { return fmt::format("coalesce(bool_and({}), true)", test); }

// One aggregate over the relation, remembered by its place in the answer.
class Tests {
 public:
  std::size_t add(std::string sql) {
    items_.push_back(std::move(sql));
    return items_.size() - 1;
  }
  Status run(engine::Engine& engine, const engine::RunLimits& limits, const std::string& from) {
    for (std::size_t at = 0; at < items_.size();) {
      std::string sql = "SELECT " + items_[at++];
      while (at < items_.size() && sql.size() < kStatementBytes) sql += ", " + items_[at++];
      SLUICE_TRY(std::vector<TextRow> rows, read_rows(engine, {.sql = sql + " FROM " + from}, limits));
      if (rows.empty()) return internal_error("look at the values of a file: no answer");
      for (std::string& answer : rows.front()) answers_.push_back(std::move(answer));
    }
    return {};
  }
  bool is_true(std::optional<std::size_t> at) const { return at && answers_[*at] == "true"; }
  const std::string& text(std::size_t at) const { return answers_[at]; }
  std::int64_t number(std::size_t at) const {
    std::int64_t out = 0;
    std::from_chars(answers_[at].data(), answers_[at].data() + answers_[at].size(), out);
    return out;
  }

 private:
  std::vector<std::string> items_;
  TextRow answers_;
};

// Settles the columns of one relation.
class Settling {
 public:
  Settling(engine::Engine& engine, const engine::RunLimits& limits, const TextRelation& texts,
           const std::vector<TextColumn>& columns)
      : engine_(engine), limits_(limits), texts_(texts), columns_(columns) {}

  Result<ColumnForms> run() {
    looks_.resize(columns_.size());
    Tests tests;
    for (std::size_t i = 0; i < columns_.size(); ++i) plan(tests, i);
    SLUICE_CHECK(tests.run(engine_, limits_, texts_.sql));
    ColumnForms out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      SLUICE_TRY(ColumnForm form, settle(tests, i));
      out.columns.push_back(std::move(form));
    }
    if (notes_.size() > kNotesMax) {
      const std::size_t more = notes_.size() - kNotesMax;
      notes_.resize(kNotesMax);
      notes_.push_back(fmt::format("The same holds for {} more columns.", more));
    }
    out.notes = std::move(notes_);
    return out;
  }

 private:
  // What is asked about a column.
  struct Look {
    std::optional<std::size_t> has_codes;
    std::optional<std::size_t> has_loss;
    std::optional<std::size_t> has_empty;
    std::optional<std::size_t> fits;
    std::optional<std::size_t> first_value;
  };

  std::string name(std::size_t i) const { return quote_name(columns_[i].name); }

  void plan(Tests& tests, std::size_t i) {
    const TextColumn& column = columns_[i];
    const std::string x = name(i);
    Look& look = looks_[i];
    const bool is_text = column.detected == "VARCHAR" || column.detected == "JSON";
    if (!texts_.is_json && !is_text) look.has_empty = tests.add(any_of(x + " = ''"));
    if (column.is_configured) return;
    const bool is_number = column.detected == "BIGINT" || column.detected == "DOUBLE";
    if (!texts_.is_json && is_number) look.has_codes = tests.add(any_of(code_test(x)));
    if (column.detected == "DOUBLE") look.has_loss = tests.add(any_of(loss_test(x)));
    const bool is_temporal = is_temporal_name(column.detected);
    if (is_temporal || column.may_be_date)
      look.first_value = tests.add(fmt::format("first({0}) FILTER (WHERE {0} <> '')", x));
    const bool is_checked = is_temporal ? texts_.is_json || !texts_.is_trusted : !texts_.is_trusted;
    if (!is_text && is_checked) {
      // A year of fewer than four digits is none.
      const bool has_year = is_temporal && column.detected != "TIME";
      look.fits = tests.add(all_of(fmt::format("{0} IS NULL OR {0} = '' OR (TRY_{1} IS NOT NULL{2})", x,
                                               cast(x, column.detected),
                                               has_year ? " AND " + x + " SIMILAR TO '[0-9]{4}.*'" : "")));
    }
  }

  Result<ColumnForm> settle(const Tests& tests, std::size_t i) {
    const TextColumn& column = columns_[i];
    const Look& look = looks_[i];
    const bool has_empty = tests.is_true(look.has_empty);
    const bool misfits = look.fits && !tests.is_true(look.fits);
    if (look.first_value) return settle_date(i, tests.text(*look.first_value), {has_empty, misfits});
    if (tests.is_true(look.has_codes) || misfits) return ColumnForm{.type = "VARCHAR", .expression = {}};
    std::string type = column.detected;
    if (tests.is_true(look.has_loss)) {
      SLUICE_TRY(type, exact_type(i));
    }
    return typed(i, type, has_empty);
  }

  ColumnForm typed(std::size_t i, const std::string& type, bool has_empty) const {
    if (!has_empty || type == "VARCHAR") return {.type = type, .expression = {}};
    return {.type = type, .expression = fmt::format("CAST(nullif(trim({}), '') AS {})", name(i), type)};
  }

  // A decimal that holds every digit, or text. Fractions with more digits than a double has are measured or
  // computed, and stay doubles.
  Result<std::string> exact_type(std::size_t i) {
    const std::string x = fmt::format("trim({})", name(i));
    const std::string loses = loss_test(name(i));
    Tests tests;
    const std::size_t is_plain = tests.add(all_of(
        fmt::format("{0} IS NULL OR {0} = '' OR regexp_full_match({0}, '[+-]?[0-9]+([.][0-9]*)?')", x)));
    const std::size_t whole =
        tests.add(fmt::format("coalesce(max(strlen(regexp_extract({}, '^[+-]?0*([0-9]*)', 1))), 0)", x));
    const std::size_t behind =
        tests.add(fmt::format("coalesce(max(strlen(regexp_extract({}, '[.]([0-9]*)$', 1))), 0)", x));
    const std::size_t loses_integer =
        tests.add(any_of(fmt::format("({}) AND NOT contains({}, '.')", loses, x)));
    SLUICE_CHECK(tests.run(engine_, limits_, texts_.sql));
    const std::int64_t digits = tests.number(whole) + tests.number(behind);
    const bool has_fractions = tests.number(behind) > 0;
    if (tests.is_true(is_plain) && has_fractions && digits <= kDecimalDigitsMax)
      return fmt::format("DECIMAL(38,{})", tests.number(behind));
    return std::string(tests.is_true(loses_integer) ? "VARCHAR" : "DOUBLE");
  }

  struct Values {
    bool has_empty = false;
    bool misfits = false;  // Some value is not what the engine has detected.
  };

  Result<ColumnForm> settle_date(std::size_t i, const std::string& first, const Values& values) {
    const std::string& detected = columns_[i].detected;
    std::vector<DateFormat> formats = date_formats(first);
    const bool is_iso = formats.empty() || formats.front().format.starts_with("%Y-");
    // The engine reads what ISO 8601 writes, unless another column of the file has led it astray.
    const bool is_read = formats.empty() || detected == (formats.front().has_time ? "TIMESTAMP" : "DATE");
    if (!is_iso || !is_read) {
      SLUICE_TRY(ColumnForm form,
                 settle_order(i, fmt::format("nullif(trim({}), '')", name(i)), std::move(formats)));
      if (form.type != "VARCHAR" || !is_iso) return form;
    }
    if (values.misfits || !is_temporal_name(detected)) return ColumnForm{.type = "VARCHAR", .expression = {}};
    if (!texts_.is_json) return typed(i, detected, values.has_empty);
    return ColumnForm{.type = detected,
                      .expression = fmt::format("CAST({} AS {})", cast(name(i), detected), detected)};
  }

  // With an offset it is a moment, which is shown as UTC.
  std::string cast(const std::string& x, const std::string& type) const {
    if (!texts_.is_json || type != "TIMESTAMP") return fmt::format("CAST({} AS {})", x, type);
    return fmt::format("CAST({} AS TIMESTAMPTZ)", x);
  }

  // Of the orders that every value fits.
  Result<ColumnForm> settle_order(std::size_t i, const std::string& x, std::vector<DateFormat> formats) {
    Tests tests;
    for (const DateFormat& format : formats) {
      tests.add(all_of(fmt::format("{0} IS NULL OR ({1} IS NOT NULL AND regexp_full_match({0}, {2}))", x,
                                   "try_" + parsed(x, format), quote_text(format.pattern))));
    }
    SLUICE_CHECK(tests.run(engine_, limits_, texts_.sql));
    std::vector<DateFormat> fitting;
    for (std::size_t k = 0; k < formats.size(); ++k) {
      if (tests.is_true(k)) fitting.push_back(std::move(formats[k]));
    }
    if (fitting.size() == 1) return date_form(x, fitting.front());
    if (fitting.empty()) return ColumnForm{.type = "VARCHAR", .expression = {}};
    SLUICE_TRY(const bool are_same, have_same_days(x, fitting));
    if (are_same) return date_form(x, fitting.front());
    SLUICE_TRY(const std::optional<std::size_t> chosen, choose_order(x, fitting));
    std::string orders;
    for (const DateFormat& format : fitting)
      orders += fmt::format("{}{}", orders.empty() ? "" : " and ", format.order);
    const std::string shown = encode_controls(excerpt(columns_[i].name));
    if (!chosen) {
      notes_.push_back(
          fmt::format("Column {}: every date fits the orders {}, so it is left as text.", shown, orders));
      return ColumnForm{.type = "VARCHAR", .expression = {}};
    }
    notes_.push_back(
        fmt::format("Column {}: every date fits the orders {}; it is read as {}, which gives "
                    "the more regular dates.",
                    shown, orders, fitting[*chosen].order));
    return date_form(x, fitting[*chosen]);
  }

  static std::string parsed(const std::string& x, const DateFormat& format) {
    return fmt::format("strptime({}, {})", x, quote_text(format.format));
  }

  static ColumnForm date_form(const std::string& x, const DateFormat& format) {
    if (format.has_time) return {.type = "TIMESTAMP", .expression = parsed(x, format)};
    return {.type = "DATE", .expression = fmt::format("CAST({} AS DATE)", parsed(x, format))};
  }

  Result<std::optional<std::size_t>> choose_order(const std::string& x,
                                                  const std::vector<DateFormat>& formats) {
    std::vector<std::vector<std::chrono::sys_days>> readings;
    for (const DateFormat& format : formats) {
      const std::string sql = fmt::format(
          "SELECT DISTINCT CAST(datediff('day', DATE '1970-01-01', CAST({} AS DATE)) AS VARCHAR) AS d, "
          "datediff('day', DATE '1970-01-01', CAST({} AS DATE)) AS n FROM {} WHERE {} IS NOT NULL ORDER BY n "
          "LIMIT {}",
          parsed(x, format), parsed(x, format), texts_.sql, x, kDistinctDatesMax);
      SLUICE_TRY(const std::vector<TextRow> rows, read_rows(engine_, {.sql = sql}, limits_));
      std::vector<std::chrono::sys_days> dates;
      for (const TextRow& row : rows) {
        int day = 0;
        std::from_chars(row[0].data(), row[0].data() + row[0].size(), day);
        dates.emplace_back(std::chrono::days(day));
      }
      readings.push_back(std::move(dates));
    }
    if (const std::optional<std::size_t> found = most_regular(readings)) return found;
    const bool has_short_years = formats.front().format.find("%y") != std::string::npos;
    return has_short_years ? narrowest(readings) : std::nullopt;
  }

  // Whether the orders do not matter, because day and month are the same in every value.
  Result<bool> have_same_days(const std::string& x, const std::vector<DateFormat>& formats) {
    Tests tests;
    for (const DateFormat& format : formats)
      tests.add(all_of(fmt::format("{} = {}", parsed(x, formats.front()), parsed(x, format))));
    SLUICE_CHECK(tests.run(engine_, limits_, texts_.sql));
    for (std::size_t k = 0; k < formats.size(); ++k) {
      if (!tests.is_true(k)) return false;
    }
    return true;
  }

  engine::Engine& engine_;
  const engine::RunLimits& limits_;
  const TextRelation& texts_;
  const std::vector<TextColumn>& columns_;
  std::vector<Look> looks_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<ColumnForms> settle_types(engine::Engine& engine, const engine::RunLimits& limits,
                                 const TextRelation& texts, const std::vector<TextColumn>& columns) {
  return Settling(engine, limits, texts, columns).run();
}

}  // namespace sluice::query
