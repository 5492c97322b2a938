#!/usr/bin/env python3
"""Proves that plan_test can fail: each mutant prints wrong SQL or places values wrongly, and must be found.

mutants.py --check         whether the text that each mutant replaces stands in the sources, once
mutants.py [NAME...]       builds plan_test with each mutant in a copy of the tree, and runs the tests that it names
"""

import argparse
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TREE = ROOT / "build/plan_mutants/tree"
COPIED = ["src", "cmake", "scripts", "tests", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "examples",
          "docs"]
MUTANTS_MIN = 65
VECTORS = "{}/PlanVectors.*"
RANDOM = "{}/RandomPlans.*"
JOINS = "{}/JoinPlans.*"
SETS = "{}/SetPlans.*"
SQLITE = "Sqlite"
POSTGRES = "Postgres15"

# Name, file in src/plan, text, its replacement, tests.
MUTANTS = [
    ("no_collation", "database_condition.cc", "if (column.ours->type.id != TypeId::kText) return column.theirs->select;",
     "if (column.theirs != nullptr) return column.theirs->select;", VECTORS.format(SQLITE)),
    ("no_collation_postgres", "block_select.cc", '" COLLATE \\"C\\""', '""', RANDOM.format(POSTGRES)),
    ("nulls_first", "block_select.cc", '"NULLS FIRST" : "NULLS LAST"', '"NULLS FIRST" : "NULLS FIRST"', RANDOM.format(SQLITE)),
    ("nulls_last", "block_select.cc", '"NULLS FIRST" : "NULLS LAST"', '"NULLS LAST" : "NULLS LAST"', RANDOM.format(POSTGRES)),
    ("descending_ignored", "block_select.cc", 'key.descending ? "DESC"', 'key.descending ? "ASC"', RANDOM.format(SQLITE)),
    ("sum_of_nothing_is_null", "database_aggregate.cc", '"coalesce({}, 0)"', '"coalesce({}, NULL)"', VECTORS.format(POSTGRES)),
    ("null_is_no_value", "database_aggregate.cc", "> count({0}) THEN 1", "> count({0}) THEN 0", VECTORS.format(SQLITE)),
    ("less_for_less_equal", "sqlite_text.cc", 'is_upward ? ">=" : "<="', 'is_upward ? ">=" : "<"',
     VECTORS.format(SQLITE)),
    ("sign_of_less_equal", "operand.cc", '">", ">=", "<", "<="}', '">", ">=", "<", "<"}', "PlanNode.*"),
    ("limit_before_filter", "block_select.cc",
     'fmt::format("SELECT {} FROM {}{}", select_columns(!is_answer_), from_, where_)',
     'fmt::format("SELECT {} FROM {}{}", select_columns(!is_answer_), block_.limit != nullptr && block_.limit->rows ? '
     'fmt::format("(SELECT * FROM {} LIMIT {}) AS few", from_, *block_.limit->rows + 1) : from_, where_)',
     RANDOM.format(POSTGRES)),
    ("limit_with_one_more", "block_select.cc", '" LIMIT {}", *block_.limit->rows)', '" LIMIT {}", *block_.limit->rows + 1)',
     RANDOM.format(SQLITE)),
    ("offset_ignored", "block_select.cc", "if (block_.limit->offset > 0) select_",
     "if (block_.limit->offset > INT32_MAX) select_", RANDOM.format(POSTGRES)),
    ("or_as_and", "database_condition.cc", 'is_and ? " AND " : " OR "', 'is_and ? " AND " : " AND "',
     RANDOM.format(SQLITE)),
    ("sum_without_numeric", "database_aggregate.cc", '.sql = sql + "::numeric(38,0)"', ".sql = sql",
     VECTORS.format(POSTGRES)),
    ("sum_with_fewer_digits", "database_aggregate.cc", '"{}::numeric(38,{})", sql, type.scale',
     '"{}::numeric(38,{})", sql, type.scale / 2', VECTORS.format(POSTGRES)),
    ("in_drops_a_value", "database_condition.cc", 'if (values.empty()) return "1 = 0";',
     'if (values.size() > 1) values.pop_back();\n    if (values.empty()) return "1 = 0";', VECTORS.format(SQLITE)),
    ("in_drops_a_value_postgres", "database_values.cc", "    std::vector<std::string> texts;\n    for (const Operand& value : values) {\n      if (!is_read",
     "    std::vector<std::string> texts;\n    for (const Operand& value : values) {\n      if (&value != &values.front() && values.size() > 64) continue;\n      if (!is_read",
     VECTORS.format(POSTGRES)),
    ("no_typeof", "database_condition.cc", "if (is_sqlite() && is_ordered_upward(sign))",
     "if (!is_sqlite() && is_ordered_upward(sign))", "MisfitPlans.*"),
    ("no_fitting", "database_aggregate.cc", 'return fmt::format("fitting({}, \'{}\')", column.theirs->select, type);',
     "return column.theirs->select;", "MisfitPlans.*"),
    ("above_as_equal", "operand.cc", 'is_upward ? ">" : "<="', 'is_upward ? ">=" : "<"', VECTORS.format(POSTGRES)),
    ("below_as_equal", "operand.cc", 'is_upward ? ">=" : "<"}', 'is_upward ? ">" : "<="}', VECTORS.format(POSTGRES)),
    ("prefix_anywhere", "database_condition.cc", '"instr({}, {}) = 1"', '"instr({}, {}) >= 1"', VECTORS.format(SQLITE)),
    ("suffix_in_bytes", "database_condition.cc", "right({0}, length({1}))", "right({0}, octet_length({1}))",
     VECTORS.format(POSTGRES)),
    ("normalization_left_out", "database_condition.cc", '"normalize_text({})", "normalize_text({})"',
     '"{}", "normalize_text({})"', VECTORS.format(SQLITE)),
    ("distinct_left_out", "block_select.cc", '"SELECT DISTINCT {} FROM {}{}"', '"SELECT {} FROM {}{}"',
     VECTORS.format(SQLITE)),
    ("distinct_count_as_count", "database_aggregate.cc", '"count(DISTINCT {})"', '"count({})"', VECTORS.format(SQLITE)),
    ("lower_median", "database_aggregate.cc", '"0.5000000000582077"', '"0.5"', VECTORS.format(POSTGRES)),
    ("average_of_postgres", "database_aggregate.cc", '"sum({0})::double precision / count({0})"',
     '"avg({0})::double precision"', VECTORS.format(POSTGRES)),
    ("half_of_least_double", "database_aggregate.cc", "< 1e-323 THEN 0", "< 1e-323 THEN 0.5", VECTORS.format(POSTGRES)),
    ("or_loses_a_part", "fragment.cc", "if (!one && condition.kind == Condition::Kind::kOr) return std::nullopt;", "",
     RANDOM.format(SQLITE)),
    ("texts_that_are_no_numbers", "database_condition.cc",
     "return sign == Sign::kLt || sign == Sign::kLte ?", "return sign == Sign::kLt ?", VECTORS.format(SQLITE)),
    ("row_order_left_out", "block_select.cc", "terms.push_back(target_.layout.row_order);", "", RANDOM.format(POSTGRES)),
    ("ambiguous_texts", "sqlite_text.cc", """if (text.starts_with("x'")) return true;""",
     """if (text.starts_with("x'")) return false;""", VECTORS.format(SQLITE)),
    ("replacement_characters", "database_values.cc", 'text.find("\\xEF\\xBF\\xBD") == std::string_view::npos',
     "!text.starts_with('\\0')", VECTORS.format(SQLITE)),
    ("superset_of_beginnings", "fragment.cc", "out.kind = Condition::Kind::kContains",
     "out.kind = Condition::Kind::kStartsWith", VECTORS.format(SQLITE)),
    ("or_for_and", "database_aggregate.cc", '(is_and ? "bool_and" : "bool_or")', '(is_and ? "bool_or" : "bool_and")',
     VECTORS.format(POSTGRES)),
    ("least_for_largest_flag", "database_aggregate.cc", '(is_and ? "min" : "max")', '(is_and ? "max" : "min")',
     VECTORS.format(SQLITE)),
    ("wide_averages_enabled", "overloads.def", "kDecimal | kFloat, kDoubleResult, kMayFail, kNone, kNone)",
     "kDecimal | kFloat, kDoubleResult, kMayFail, kNone, kExact)", VECTORS.format(POSTGRES)),
    ("enabled_without_a_vector", "overloads.def", "OVERLOAD(kSum, kWideInteger, kHugeintResult, kMayFail, kNone, kNone)",
     "OVERLOAD(kSum, kWideInteger, kHugeintResult, kMayFail, kNone, kExact)", VECTORS.format(POSTGRES)),
    ("enabled_and_never_run", "overloads.def", "OVERLOAD(kSum, kWideInteger, kHugeintResult, kMayFail, kNone, kNone)",
     "OVERLOAD(kSum, kWideInteger, kHugeintResult, kMayFail, kExact, kNone)", RANDOM.format(SQLITE)),
    ("project_of_groups_ignored", "engine_sql.cc", "if (block_.project == nullptr && block_.having == nullptr) return sql",
     "if (!sql.empty()) return sql", RANDOM.format(SQLITE)),
    ("having_left_out", "block_select.cc", 'having = " WHERE " + *condition;', "having.clear();", RANDOM.format(SQLITE)),
    ("having_as_where", "block.cc", "out.having = take_having(at);",
     "if (const Filter* having = take_having(at)) out.filter = &having->condition;", "PlanNode.*"),
    ("having_of_inexact_values", "group_condition.cc", "return id != TypeId::kDouble && id != TypeId::kFloat;",
     "return true;", "PlanNode.*"),
    ("left_as_inner", "database_join.cc", '" JOIN " : " LEFT JOIN ";', '" JOIN " : " JOIN ";', JOINS.format(SQLITE)),
    ("inner_as_left", "database_join.cc", '" JOIN " : " LEFT JOIN ";', '" LEFT JOIN " : " LEFT JOIN ";',
     JOINS.format(SQLITE)),
    ("filter_of_right_side_in_where", "database_join.cc", 'if (!filter.empty()) on += " AND " + filter;',
     'if (!filter.empty()) out_.where += (out_.where.empty() ? " WHERE " : " AND ") + filter;', JOINS.format(SQLITE)),
    ("filter_of_right_side_left_out", "database_join.cc", 'if (!filter.empty()) on += " AND " + filter;', "",
     JOINS.format(POSTGRES)),
    ("filter_below_a_left_join", "block_select.cc", 'where_ += (where_.empty() ? " WHERE " : " AND ") + *sql;',
     '(block_.is_join() ? from_ : where_) += (block_.is_join() || !where_.empty() ? " AND " : " WHERE ") + *sql;',
     JOINS.format(SQLITE)),
    ("text_keys_without_collation", "database_join.cc", '"{} COLLATE BINARY = {} COLLATE BINARY"', '"{} = {}"',
     JOINS.format(SQLITE)),
    ("text_keys_without_collation_postgres", "database_join.cc",
     "by_bytes(left, Dialect::kPostgres), by_bytes(right, Dialect::kPostgres)", "left.reference(), right.reference()",
     JOINS.format(POSTGRES)),
    ("keys_of_shown_texts", "database_join.cc", "if (!is_plain(left) || !is_plain(right)) return std::nullopt;", "",
     JOINS.format(SQLITE)),
    ("second_key_left_out", "database_join.cc", 'on += (on.empty() ? "" : " AND ") + *equality;', "on = *equality;",
     JOINS.format(SQLITE)),
    ("misfits_among_keys", "database_join.cc", 'return fmt::format("{} = {}", checked(left, Dialect::kSqlite), right.reference());',
     'return fmt::format("{} = {}", left.reference(), right.reference());', "MisfitPlans.*"),
    ("filter_of_first_table_left_out", "database_join.cc", 'if (!filter.empty()) out_.where = " WHERE " + filter;', "",
     JOINS.format(SQLITE)),
    ("columns_of_the_first_table", "database_join.cc", 'const std::string alias = fmt::format("t{}", i);',
     'const std::string alias = fmt::format("t{}", i / 2);', JOINS.format(SQLITE)),
    ("years_before_christ", "database_scalar.cc", "WHEN {0} < '0001-01-01' THEN 1 ELSE 0", "WHEN {0} < '0001-01-01' THEN 0 ELSE 0",
     VECTORS.format(POSTGRES)),
    ("sunday_is_zero", "database_scalar.cc", 'return "isodow";', 'return "dow";', VECTORS.format(POSTGRES)),
    ("truncated_to_another_part", "database_scalar.cc", "name_of(call.part), list);", 'name_of(DatePart::kMonth), list);',
     VECTORS.format(POSTGRES)),
    ("first_of_the_arguments", "database_scalar.cc", 'list += (list.empty() ? "" : ", ") + *sql;', 'if (list.empty()) list = *sql + ", " + *sql;',
     VECTORS.format(SQLITE)),
    ("else_left_out", "database_scalar.cc", 'fmt::format(" ELSE {} END", *then)', 'std::string(" END")', VECTORS.format(SQLITE)),
    ("numbers_among_chosen_texts", "database_scalar.cc", "TypeId::kText ? sqlite_shown(column) :", "TypeId::kText ? column.reference() :",
     VECTORS.format(SQLITE)),
    ("chosen_texts_without_collation", "database_scalar.cc", '"(({}) COLLATE \\"C\\")"', '"(({}))"', RANDOM.format(POSTGRES)),
    ("equal_rows_stay", "block.cc", '(set.all ? " ALL" : "")', '(set.kind == SetKind::kUnion ? " ALL" : "")', SETS.format(POSTGRES)),
    ("except_as_intersect", "block.cc", '? "EXCEPT"', '? "INTERSECT"', SETS.format(SQLITE)),
    ("texts_of_sides_without_collation", "fragment.cc", '" COLLATE BINARY"', '" COLLATE NOCASE"', SETS.format(SQLITE)),
    ("unchecked_values_of_sides", "fragment.cc", "std::move(left->statement.parameters), false);",
     "std::move(left->statement.parameters), true);", SETS.format(SQLITE) + ":MisfitPlans.*"),
    ("unused_values_are_bound", "fragment.cc", "if (out) out->statement = with_used_parameters(std::move(out->statement));", "",
     RANDOM.format(SQLITE)),
    ("filter_below_computed_left_out", "block_select.cc", "for (const Condition* filter : {block_.inner_filter, block_.filter}) {",
     "for (const Condition* filter : {block_.compute != nullptr ? nullptr : block_.inner_filter, block_.filter}) {", RANDOM.format(SQLITE)),
]


def check():
    wrong = 0
    for name, file, old, _, _ in MUTANTS:
        count = (ROOT / "src/plan" / file).read_text().count(old)
        if count != 1:
            wrong += 1
            print(f"{name}: its text occurs {count} times in {file}")
    if len(MUTANTS) < MUTANTS_MIN:
        wrong += 1
    print(f"{len(MUTANTS)} mutants, {wrong} wrong")
    return 1 if wrong else 0


def copy_tree():
    """A copy of the sources that keeps its build between runs: files that are the same keep their time."""
    TREE.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        source = ROOT / name
        files = [path for path in source.rglob("*") if path.is_file()] if source.is_dir() else [source]
        for path in files:
            target = TREE / path.relative_to(ROOT)
            if not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
    link = TREE / ".deps"
    if not link.is_symlink():
        link.symlink_to((ROOT / ".deps").resolve())


def build():
    if not (TREE / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "test", "--log-level=WARNING"], cwd=TREE, check=True)
    done = subprocess.run(["ninja", "-C", "build/release", "-j2", "plan_test"], cwd=TREE, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-2000:]


def failed_test(tests):
    """The first test that fails; None if all pass."""
    done = subprocess.run(["build/release/tests/plan_test", f"--gtest_filter={tests}", "--gtest_fail_fast"], cwd=TREE,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return None
    failed = re.search(r"^\[  FAILED  \] (\S+?)[, (]", done.stdout, re.MULTILINE)
    return failed.group(1) if failed else f"exit code {done.returncode}"


def hunt(names):
    copy_tree()
    wrong = build()
    if wrong:
        sys.exit(f"plan_test does not build:\n{wrong}")
    wanted = [mutant for mutant in MUTANTS if not names or mutant[0] in names]
    missed = []
    for name, file, old, new, tests in wanted:
        begin = time.monotonic()
        path = TREE / "src/plan" / file
        original = path.read_text()
        path.write_text(original.replace(old, new))
        try:
            wrong = build()
            found = None if wrong else failed_test(tests)
        finally:
            path.write_text(original)
        if found is None:
            missed.append(name)
        verdict = f"unusable: {wrong}" if wrong else found or "MISSED"
        print(f"{name:<28}{time.monotonic() - begin:>6.0f} s  {verdict}", flush=True)
    print(f"{len(wanted)} mutants, {len(wanted) - len(missed)} found; not found: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    return check() if options.check else hunt(options.names)


if __name__ == "__main__":
    sys.exit(main())
