#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/requests.h"

namespace sluice::protocol {
namespace {

Result<QuestionBody> decode_elicitation(const json::ObjectReader& in) {
  SLUICE_TRY(const std::optional<std::string> mode, in.optional_string("mode"));
  SLUICE_TRY(std::string message, in.required_string("message"));
  if (mode && *mode == "url") {
    ElicitUrl page{.message = std::move(message), .url = {}, .id = {}};
    SLUICE_TRY(page.url, in.required_string("url"));
    SLUICE_TRY(std::optional<std::string> id, in.optional_string("elicitationId"));
    if (id) page.id = *std::move(id);
    return QuestionBody{std::move(page)};
  }
  SLUICE_TRY(const json::ObjectReader schema, in.required_object("requestedSchema"));
  return QuestionBody{ElicitForm{.message = std::move(message), .schema = schema.object()}};
}

std::string_view action_name(ElicitAction action) {
  switch (action) {
    case ElicitAction::kAccept:
      return "accept";
    case ElicitAction::kDecline:
      return "decline";
    case ElicitAction::kCancel:
      return "cancel";
  }
  return "cancel";
}

struct AnswerWriter {
  json::Writer& out;

  void operator()(const ElicitAnswer& answer) const {
    out.begin_object().field("action", action_name(answer.action));
    if (answer.action == ElicitAction::kAccept) out.field("content", json::Value(answer.content));
    out.end_object();
  }
  void operator()(const SampleAnswer& answer) const { out.value(json::Value(answer.result)); }
  void operator()(const RootsAnswer& answer) const {
    out.begin_object().key("roots").begin_array();
    for (const Root& root : answer.roots)
      out.begin_object().field("uri", root.uri).field_if("name", root.name).end_object();
    out.end_array().end_object();
  }
};

}  // namespace

Result<QuestionBody> decode_question(std::string_view method, const json::Object& params) {
  if (method == "elicitation/create") return decode_elicitation(json::ObjectReader(params, "params"));
  if (method == "sampling/createMessage") return QuestionBody{Sample{params}};
  if (method == "roots/list") return QuestionBody{ListRoots{}};
  return unsupported(fmt::format("a question that is not known: {}", excerpt(method)));
}

std::string answer_result(const Answer& answer) {
  json::Writer out;
  std::visit(AnswerWriter{out}, answer);
  return std::move(out).take();
}

void fill_defaults(const json::Value& schema, json::Object& content) {
  const json::Value* properties = schema.find("properties");
  const json::Object* named = properties == nullptr ? nullptr : properties->if_object();
  if (named == nullptr) return;
  for (const json::Member& property : *named) {
    const json::Value* value = property.value.find("default");
    if (value != nullptr && !content.contains(property.key)) content.set(property.key, *value);
  }
}

}  // namespace sluice::protocol
