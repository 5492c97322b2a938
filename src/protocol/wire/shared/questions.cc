#include "sluice/protocol/wire/questions.h"

#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"

namespace sluice::protocol {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it from the aggregate.

// Modes of elicitation came with URL mode.
constexpr bool has_elicit_mode(Revision revision) { return revision >= Revision::k2025_11_25; }
// One revision required an id beside the URL, for a notification that the next one dropped.
constexpr bool has_elicitation_id(Revision revision) { return revision == Revision::k2025_11_25; }

Result<Answer> decode_elicit(const json::ObjectReader& in) {
  SLUICE_TRY(const std::string action, in.required_string("action"));
  ElicitAnswer answer;
  if (action == "accept") {
    answer.action = ElicitAction::kAccept;
  } else if (action == "decline") {
    answer.action = ElicitAction::kDecline;
  } else if (action == "cancel") {
    answer.action = ElicitAction::kCancel;
  } else {
    return invalid_input("action: must be \"accept\", \"decline\" or \"cancel\"");
  }
  SLUICE_TRY(const std::optional<json::ObjectReader> content, in.optional_object("content"));
  if (content) answer.content = content->object();
  return Answer{std::move(answer)};
}

Result<Answer> decode_sample(const json::ObjectReader& in) {
  SLUICE_TRY([[maybe_unused]] const std::string role, in.required_string("role"));
  if (in.find("content") == nullptr) return invalid_input("content: required, but missing");
  return Answer{SampleAnswer{in.object()}};
}

Result<Answer> decode_roots(const json::ObjectReader& in) {
  SLUICE_TRY(const json::Array* roots, in.required_array("roots"));
  RootsAnswer answer;
  for (const json::Value& item : *roots) {
    SLUICE_TRY(const json::ObjectReader root, json::ObjectReader::of(item, "roots[]"));
    SLUICE_TRY(std::string uri, root.required_string("uri"));
    SLUICE_TRY(std::optional<std::string> name, root.optional_string("name"));
    answer.roots.push_back(Root{.uri = std::move(uri), .name = std::move(name)});
  }
  return Answer{std::move(answer)};
}

}  // namespace

std::string_view method_of(const QuestionBody& question) {
  return std::visit(Overloaded{[](const ElicitForm&) { return std::string_view("elicitation/create"); },
                               [](const ElicitUrl&) { return std::string_view("elicitation/create"); },
                               [](const Sample&) { return std::string_view("sampling/createMessage"); },
                               [](const ListRoots&) { return std::string_view("roots/list"); }},
                    question);
}

std::string question_params(const QuestionBody& question, Revision revision) {
  json::Writer out;
  std::visit(
      Overloaded{
          [&](const ElicitForm& form) {
            out.begin_object();
            if (has_elicit_mode(revision)) out.field("mode", "form");
            out.field("message", form.message).field("requestedSchema", form.schema).end_object();
          },
          [&](const ElicitUrl& page) {
            out.begin_object().field("mode", "url").field("message", page.message).field("url", page.url);
            if (has_elicitation_id(revision)) out.field("elicitationId", page.id);
            out.end_object();
          },
          [&](const Sample& sample) { out.value(json::Value(sample.parameters)); },
          [&](const ListRoots&) { out.begin_object().end_object(); }},
      question);
  return std::move(out).take();
}

Result<Answer> decode_answer(const QuestionBody& question, const json::Value& result) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(result, ""));
  return std::visit(Overloaded{[&](const ElicitForm&) { return decode_elicit(in); },
                               [&](const ElicitUrl&) { return decode_elicit(in); },
                               [&](const Sample&) { return decode_sample(in); },
                               [&](const ListRoots&) { return decode_roots(in); }},
                    question);
}

bool can_answer(const QuestionBody& question, const ClientCapabilities& client) {
  return std::visit(Overloaded{[&](const ElicitForm&) { return client.elicit_form; },
                               [&](const ElicitUrl&) { return client.elicit_url; },
                               [&](const Sample&) { return client.sample; },
                               [&](const ListRoots&) { return client.roots; }},
                    question);
}

std::string_view required_capability(const QuestionBody& question) {
  return std::visit(
      Overloaded{[](const ElicitForm&) { return std::string_view(R"({"elicitation":{"form":{}}})"); },
                 [](const ElicitUrl&) { return std::string_view(R"({"elicitation":{"url":{}}})"); },
                 [](const Sample&) { return std::string_view(R"({"sampling":{}})"); },
                 [](const ListRoots&) { return std::string_view(R"({"roots":{}})"); }},
      question);
}

}  // namespace sluice::protocol
