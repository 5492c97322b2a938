#include "answer/filter_token.h"

#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"

namespace sluice::datasets {

namespace {

constexpr std::string_view kPurpose = "filter";

std::string payload(const Caller& owner, std::string_view column, const json::Value& values) {
  std::string text = owner.principal.id;
  if (!owner.policy.text.empty()) (text += '\0') += owner.policy.text;
  (text += '\0') += column;
  (text += '\0') += json::to_text(values);
  return base64url_encode(crypto::sha256(text));
}

Status check_token(const DatasetTools& tools, const json::Object& filter, const Caller& caller) {
  const json::Value* signature = filter.find("signature");
  if (signature == nullptr) return {};
  const json::Value* column = filter.find("col");
  const json::Value* op = filter.find("op");
  const json::Value* values = filter.find("value");
  if (signature->if_string() != nullptr && column != nullptr && column->if_string() != nullptr &&
      op != nullptr && op->if_string() != nullptr && *op->if_string() == "in" && values != nullptr) {
    const auto signed_payload = tools.services().signer.verify(kPurpose, *signature->if_string());
    if (signed_payload == payload(caller, *column->if_string(), *values)) return {};
  }
  return invalid_input("a filter_token was altered, or is not yours")
      .with_code("invalid_filter_token")
      .with_hint("Call pattern_filter again, or leave the signature out to use the filter as your own.");
}

}  // namespace

json::Object filter_token(const DatasetTools& tools, const Caller& owner, const std::string& column,
                          const std::vector<std::string>& values) {
  json::Array list;
  for (const std::string& value : values) list.emplace_back(value);
  const json::Value value = std::move(list);
  const std::string signature = tools.services().signer.sign(kPurpose, payload(owner, column, value));
  return {{"col", column}, {"op", "in"}, {"value", value}, {"signature", signature}};
}

Result<query::QueryArguments> read_question(const DatasetTools& tools, const json::Object& arguments,
                                            const catalog::Context& context) {
  if (const json::Value* filters = arguments.find("filters");
      filters != nullptr && filters->if_array() != nullptr) {
    for (const json::Value& filter : *filters->if_array()) {
      if (filter.if_object() != nullptr)
        SLUICE_CHECK(check_token(tools, *filter.if_object(), tools.caller_of(context)));
    }
  }
  return query::read_query_arguments(arguments);
}

}  // namespace sluice::datasets
