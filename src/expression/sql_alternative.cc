#include <algorithm>
#include <array>

#include "sql_function.h"

namespace sluice::expression {

namespace {

struct Alternative {
  std::string_view names;  // Separated by blanks.
  std::string_view instead;
};

constexpr std::array kAlternatives = {
    Alternative{"explode flatten_list json_each json_tree lateral_view posexplode "
                "regexp_split_to_table",
                "Use unnest(list), for JSON unnest(from_json(column, '[\"JSON\"]'))."},
    Alternative{"generate_subscripts", "Use unnest(…) WITH ORDINALITY in FROM."},
    Alternative{"now today current_date current_time current_timestamp "
                "current_localtimestamp localtime "
                "transaction_timestamp get_current_timestamp getdate sysdate "
                "localtimestamp ago",
                "Write the date itself: DATE '2024-05-01'."},
    Alternative{"levenshtein damerau_levenshtein editdist3 hamming mismatches "
                "jaccard jaro_similarity "
                "jaro_winkler_similarity soundex difference",
                "Use similar(a, b), which is 1 for equal texts and 0 for "
                "different ones."},
    Alternative{"random rand uuid gen_random_uuid uuidv4 uuidv7 setseed",
                "For a sample use WHERE hash(column) % 100 = 0, which picks "
                "the same rows every time."},
    Alternative{"to_char date_format format_datetime", "Use strftime(column, '%Y-%m-%d')."},
    Alternative{"to_date str_to_date parse_date parse_datetime parse_timestamp",
                "Use strptime(text, '%d.%m.%Y'), or try_strptime where some "
                "values are not dates."},
    Alternative{"dateadd adddate date_format_add", "Use column + INTERVAL 1 DAY."},
    Alternative{"mode approx_top_k", "Use GROUP BY with ORDER BY count(*) DESC LIMIT 1."},
    Alternative{"histogram histogram_exact list_histogram", "Use GROUP BY with count(*)."},
    Alternative{"entropy list_entropy", "Use GROUP BY with count(*), then sum(-p * ln(p))."},
    Alternative{"percentile percentile_approx reservoir_quantile", "Use quantile_cont(column, 0.9)."},
    Alternative{"nvl isnull ifnull", "Use coalesce(a, b)."},
    Alternative{"iif decode switch", "Use CASE WHEN … THEN … ELSE … END."},
    Alternative{"charindex locate indexof", "Use instr(text, part)."},
    Alternative{"substring_index", "Use split_part(text, separator, n)."},
    Alternative{"initcap proper", "Use upper(left(text, 1)) || lower(substring(text, 2))."},
    Alternative{"current_user current_schema current_catalog current_database "
                "current_role session_user user",
                "There are no users and schemas here; name a column."},
    Alternative{"size array_size", "Use len(list)."},
    Alternative{"collect_list collect_set json_group_object json_arrayagg", "Use list(column)."},
    Alternative{"list_aggregate list_aggr array_aggr array_aggregate aggregate "
                "list_string_agg",
                "Use list_sum, list_avg, list_min, list_max, list_count or "
                "array_to_string."},
    Alternative{"list_resize array_resize list_select array_select", "Use list_slice(list, first, last)."},
    Alternative{"json_object json_array json json_quote array_to_json "
                "row_to_json json_merge_patch json_pretty",
                "Use to_json({'a': column})."},
    Alternative{"json_structure json_group_structure", "Use typeof, json_type or json_keys."},
    Alternative{"encode base64 to_base64 to_binary bin to_base", "Use hex(text)."},
    Alternative{"read_csv read_csv_auto read_parquet parquet_scan read_json "
                "read_json_auto read_ndjson read_text "
                "read_blob glob query query_table parquet_metadata parquet_schema",
                "Files cannot be read by name; the tables are the datasets of this "
                "server."},
};

bool has_word(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

std::string_view alternative_to(std::string_view name) {
  const auto* const found =
      std::find_if(kAlternatives.begin(), kAlternatives.end(),
                   [name](const Alternative& item) { return has_word(item.names, name); });
  return found == kAlternatives.end() ? std::string_view() : found->instead;
}

}  // namespace sluice::expression
