#include "wire/shared/error_data.h"

#include <utility>

#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

namespace sluice::protocol {

std::string error_data(const Error& error) {
  json::Writer out;
  out.begin_object();
  if (!error.data.empty()) {
    const Result<json::Value> data = json::read(error.data);
    if (data.ok() && data->is_object()) {
      for (const json::Member& member : *data->if_object()) out.field(member.key, member.value);
    }
  }
  out.field("code", error.code);
  if (!error.hint.empty()) out.field("hint", error.hint);
  out.end_object();
  return std::move(out).take();
}

}  // namespace sluice::protocol
