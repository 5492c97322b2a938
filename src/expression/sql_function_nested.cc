#include <array>

#include "sql_function.h"

namespace sluice::expression {

namespace {

// A list of one-byte booleans becomes `false, ` each, and a text of quotes has each of them escaped; a
// control character becomes \u0001 in JSON.
constexpr std::uint64_t kTextFactor = 8;

constexpr SqlFunction list_function(std::string_view name, std::size_t least, std::size_t most) {
  return {.name = name,
          .kind = FunctionKind::kScalar,
          .arguments_min = least,
          .arguments_max = most,
          .is_nested = true};
}
constexpr SqlFunction measure(std::string_view name, std::size_t least, std::size_t most) {
  return {.name = name, .kind = FunctionKind::kMeasure, .arguments_min = least, .arguments_max = most};
}
constexpr SqlFunction element(std::string_view name, std::size_t least, std::size_t most) {
  return list_function(name, least, most);  // An element can be a list itself.
}
constexpr SqlFunction packing(std::string_view name, std::size_t least, std::size_t most) {
  return {.name = name,
          .kind = FunctionKind::kConcat,
          .arguments_min = least,
          .arguments_max = most,
          .is_nested = true};
}
constexpr SqlFunction naming(std::string_view name) {
  SqlFunction out = packing(name, 1, kManyArguments);
  out.takes_names = true;
  return out;
}
constexpr SqlFunction with_lambda(std::string_view name, FunctionKind kind, std::size_t most = 2) {
  return {.name = name, .kind = kind, .arguments_min = 2, .arguments_max = most, .is_nested = true};
}
constexpr SqlFunction growing(std::string_view name, std::uint64_t factor, bool is_nested = false) {
  return {.name = name,
          .kind = FunctionKind::kGrowing,
          .arguments_min = 1,
          .arguments_max = 2,
          .factor = factor,
          .is_nested = is_nested};
}
constexpr SqlFunction path(std::string_view name) {
  return {.name = name, .kind = FunctionKind::kJsonPath, .arguments_min = 2, .arguments_max = 2};
}
constexpr SqlFunction collecting(std::string_view name, std::size_t most, bool is_nested) {
  return {.name = name,
          .kind = FunctionKind::kCollect,
          .arguments_min = 1,
          .arguments_max = most,
          .is_nested = is_nested};
}

constexpr std::array kNestedFunctions = {
    // Lists.
    packing("list_value", 0, 1024),
    packing("list_pack", 0, 1024),
    packing("array_value", 1, 1024),
    packing("list_concat", 1, kManyArguments),
    packing("list_cat", 1, kManyArguments),
    packing("array_concat", 1, kManyArguments),
    packing("array_cat", 1, kManyArguments),
    packing("list_append", 2, 2),
    packing("array_append", 2, 2),
    packing("array_push_back", 2, 2),
    packing("list_prepend", 2, 2),
    packing("array_prepend", 2, 2),
    packing("array_push_front", 2, 2),
    packing("list_zip", 1, kManyArguments),
    packing("array_zip", 1, kManyArguments),
    list_function("list_sort", 1, 3),
    list_function("array_sort", 1, 3),
    list_function("list_reverse_sort", 1, 2),
    list_function("array_reverse_sort", 1, 2),
    list_function("list_reverse", 1, 1),
    list_function("array_reverse", 1, 1),
    list_function("list_distinct", 1, 1),
    list_function("array_distinct", 1, 1),
    list_function("list_slice", 3, 4),
    list_function("array_slice", 3, 4),
    SqlFunction{"array_pop_back", FunctionKind::kScalar, 1, 1, 1, kMacroCopies, true},
    list_function("array_pop_front", 1, 1),
    list_function("list_intersect", 2, 2),
    list_function("array_intersect", 2, 2),
    list_function("list_where", 2, 2),
    list_function("array_where", 2, 2),
    list_function("list_grade_up", 1, 3),
    list_function("array_grade_up", 1, 3),
    list_function("flatten", 1, 1),
    element("list_extract", 2, 2),
    element("list_element", 2, 2),
    element("array_extract", 2, 2),
    element("list_first", 1, 1),
    element("list_last", 1, 1),
    element("list_any_value", 1, 1),
    element("list_min", 1, 1),
    element("list_max", 1, 1),
    element("list_mode", 1, 1),
    measure("list_contains", 2, 2),
    measure("list_has", 2, 2),
    measure("array_contains", 2, 2),
    measure("array_has", 2, 2),
    measure("list_has_any", 2, 2),
    measure("array_has_any", 2, 2),
    measure("list_has_all", 2, 2),
    measure("array_has_all", 2, 2),
    measure("list_position", 2, 2),
    measure("list_indexof", 2, 2),
    measure("array_position", 2, 2),
    measure("array_indexof", 2, 2),
    measure("array_length", 1, 2),
    measure("list_unique", 1, 1),
    measure("array_unique", 1, 1),
    measure("list_count", 1, 1),
    measure("list_sum", 1, 1),
    measure("list_avg", 1, 1),
    measure("list_median", 1, 1),
    measure("list_product", 1, 1),
    measure("list_bool_and", 1, 1),
    measure("list_bool_or", 1, 1),
    measure("list_stddev_pop", 1, 1),
    measure("list_stddev_samp", 1, 1),
    measure("list_var_pop", 1, 1),
    measure("list_var_samp", 1, 1),
    measure("list_approx_count_distinct", 1, 1),
    measure("list_distance", 2, 2),
    measure("list_cosine_similarity", 2, 2),
    measure("list_cosine_distance", 2, 2),
    measure("list_inner_product", 2, 2),
    measure("list_dot_product", 2, 2),
    SqlFunction{"array_to_string", FunctionKind::kJoinList, 2, 2, 1, kMacroCopies},
    with_lambda("list_transform", FunctionKind::kTransform),
    with_lambda("list_apply", FunctionKind::kTransform),
    with_lambda("array_transform", FunctionKind::kTransform),
    with_lambda("array_apply", FunctionKind::kTransform),
    with_lambda("apply", FunctionKind::kTransform),
    with_lambda("list_filter", FunctionKind::kFilter),
    with_lambda("array_filter", FunctionKind::kFilter),
    with_lambda("filter", FunctionKind::kFilter),
    with_lambda("list_reduce", FunctionKind::kReduce, 3),
    with_lambda("array_reduce", FunctionKind::kReduce, 3),
    with_lambda("reduce", FunctionKind::kReduce, 3),
    SqlFunction{"unnest", FunctionKind::kUnnest, 1, 2, 1, 1, true, true},
    SqlFunction{"range", FunctionKind::kSeries, 1, 3, 1, 1, true},
    SqlFunction{"generate_series", FunctionKind::kSeries, 1, 3, 1, 1, true},
    // Text and lists.
    growing("string_split", kSplitFactor, true),
    growing("str_split", kSplitFactor, true),
    growing("split", kSplitFactor, true),
    growing("string_to_array", kSplitFactor, true),
    // Structs and maps.
    naming("struct_pack"),
    naming("struct_insert"),
    naming("struct_update"),
    naming("row"),
    packing("map", 0, 2),
    packing("map_concat", 1, kManyArguments),
    packing("map_from_entries", 1, 1),
    list_function("struct_keys", 1, 1),
    element("struct_extract", 2, 2),
    element("struct_extract_at", 2, 2),
    element("map_extract", 2, 2),
    element("map_extract_value", 2, 2),
    element("element_at", 2, 2),
    list_function("map_keys", 1, 1),
    list_function("map_values", 1, 1),
    list_function("map_entries", 1, 1),
    measure("map_contains", 2, 2),
    measure("cardinality", 1, 1),
    // JSON.
    path("->>"),
    path("json_extract"),
    path("json_extract_path"),
    path("json_extract_string"),
    path("json_extract_path_text"),
    path("json_value"),
    path("json_exists"),
    SqlFunction{"json_array_length", FunctionKind::kMeasure, 1, 2},
    SqlFunction{"json_valid", FunctionKind::kMeasure, 1, 1},
    SqlFunction{"json_type", FunctionKind::kMeasure, 1, 2},
    SqlFunction{"json_contains", FunctionKind::kMeasure, 2, 2},
    growing("json_keys", kSplitFactor, true),
    growing("to_json", kTextFactor),
    growing("from_json", kTextFactor, true),
    growing("json_transform", kTextFactor, true),
    // Aggregates that return all values of a group as one.
    collecting("list", 1, true),
    collecting("array_agg", 1, true),
    SqlFunction{"json_group_array", FunctionKind::kCollect, 1, 1, 1, kMacroCopies},
    collecting("string_agg", 2, false),
    collecting("group_concat", 2, false),
    collecting("listagg", 2, false),
};

}  // namespace

std::span<const SqlFunction> nested_functions() { return kNestedFunctions; }

}  // namespace sluice::expression
