#include "sluice/engine/cast.h"

#include <string_view>

#include <fmt/format.h>

namespace sluice::engine {

std::string cast_sql(const std::string& text, const Type& type, Cast cast) {
  const std::string_view function = cast == Cast::kTry ? "TRY_CAST" : "CAST";
  if (type.id == TypeId::kText) return text;
  if (type.id == TypeId::kBlob) return fmt::format("from_base64({})", text);
  if (!is_nested(type.id)) return fmt::format("{}({} AS {})", function, text, sql_name(type));
  const std::string json = fmt::format("CAST({} AS JSON)", text);
  if (type.id != TypeId::kMap) return fmt::format("{}({} AS {})", function, json, sql_name(type));
  return fmt::format("map_from_entries({}({} AS STRUCT(\"key\" {}, \"value\" {})[]))", function, json,
                     sql_name(type.fields[0].type), sql_name(type.fields[1].type));
}

}  // namespace sluice::engine
