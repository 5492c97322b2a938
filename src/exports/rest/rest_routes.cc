#include "rest/rest_routes.h"

#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "access.h"
#include "http/attachment.h"
#include "http/problem.h"
#include "http/target.h"
#include "rest/openapi.h"
#include "rest/rest_context.h"
#include "rest/rest_query.h"

namespace sluice::exports {

namespace {

constexpr std::chrono::seconds kLookTime{120};  // For lists and schemas.

protocol::Final json_response(std::string text) {
  protocol::Final final{.message = std::move(text)};
  for (const auto& [header, value] : kPrivateFile) final.headers.emplace_back(header, value);
  return final;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// A parameter that is a number becomes an argument of that name.
Status take_number(const Parameters& parameters, std::string_view name, std::string_view argument,
                   json::Object& arguments) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return {};
  const std::optional<std::int64_t> number = whole_number(found->second);
  if (!number) {
    return invalid_input(std::string(name) + ": expected a whole number, got " + found->second)
        .with_code("invalid_arguments");
  }
  arguments.set(std::string(argument), *number);
  return {};
}

// The answer of get_catalog, with a cursor instead of an offset.
Result<std::string> with_cursor(std::string_view list) {
  SLUICE_TRY(json::Value value,
             json::read(list, {.bytes_max = kReplyBytesMax, .values_max = kReplyBytesMax}));
  json::Object& object = *value.if_object();
  if (const json::Value* next = object.find("next_offset"); next != nullptr) {
    object.set("next_cursor", next->if_number()->text);
    object.erase("next_offset");
  }
  return json::to_text(value);
}

class RestApi {
 public:
  RestApi(RestOptions options, std::shared_ptr<catalog::Gate> gate, const RowSourceSlot& source)
      : options_(std::move(options)),
        gate_(std::move(gate)),
        source_(source),
        tools_(datasets::reader_tools()),
        questions_(RestQuestionReader::make(tools_)),
        document_(json::to_text(openapi_document(tools_, options_))) {}

  // What answers a request, once its caller is known.
  using Answer = protocol::Final (RestApi::*)(const protocol::Exchange& exchange, const Access& caller) const;

  void receive(const std::shared_ptr<protocol::Exchange>& exchange, Answer answer) const {
    const protocol::HttpHead& head = *exchange->inbound().http;
    const std::string_view path = split_target(head.target).path;
    const Access::Decision access =
        Access::of_request(exchange->inbound(), {.method = "rest", .target = path}, gate_.get());
    if (const Refusal* refused = std::get_if<Refusal>(&access)) return exchange->finish(problem_of(*refused));
    const Access& caller = std::get<Access>(access);
    protocol::Final final = (this->*answer)(*exchange, caller);
    log::info("rest", {{"principal", caller.principal().id},
                       {"method", head.method},
                       {"path", path},
                       {"status", final.status}});
    exchange->finish(std::move(final));
  }

  protocol::Final list(const protocol::Exchange& exchange, const Access& caller) const {
    constexpr std::array<std::string_view, 3> kKnown = {"cursor", "limit", "match"};
    return look(exchange, caller, kKnown,
                [&](const Parameters& parameters, const datasets::DatasetReader& reader,
                    catalog::Context& context) -> Result<std::string> {
                  json::Object arguments;
                  if (const auto match = parameters.find("match"); match != parameters.end())
                    arguments.set("match", match->second);
                  SLUICE_CHECK(take_number(parameters, "limit", "limit", arguments));
                  SLUICE_CHECK(take_number(parameters, "cursor", "offset", arguments));
                  SLUICE_TRY(const std::string list, reader.list(arguments, context));
                  return with_cursor(list);
                });
  }

  protocol::Final schema(const protocol::Exchange& exchange, const Access& caller) const {
    constexpr std::array<std::string_view, 2> kKnown = {"dataset", "offset"};
    return look(exchange, caller, kKnown,
                [&](const Parameters& parameters, const datasets::DatasetReader& reader,
                    catalog::Context& context) -> Result<std::string> {
                  json::Object arguments;
                  if (const auto dataset = parameters.find("dataset"); dataset != parameters.end())
                    arguments.set("dataset", dataset->second);
                  SLUICE_CHECK(take_number(parameters, "offset", "offset", arguments));
                  return reader.schema(arguments, context);
                });
  }

  protocol::Final query(const protocol::Exchange& exchange, const Access& caller) const {
    const Result<RestQuestion> question = questions_.read(exchange.inbound());
    if (!question.ok()) {
      return question.error().code == "not_acceptable" ? problem_of(question.error(), 406)
                                                       : problem_of(question.error());
    }
    std::shared_ptr<const RowSource> source = source_.get();
    if (source == nullptr) return problem_of(no_datasets());
    return answer_question(*question, options_, std::move(source), caller, exchange);
  }

  protocol::Final me(const protocol::Exchange& /*exchange*/, const Access& caller) const {
    json::Writer out;
    out.begin_object().field("principal", caller.principal().id).end_object();
    return json_response(std::move(out).take());
  }

  protocol::Final unknown(const protocol::Exchange& /*exchange*/, const Access& /*caller*/) const {
    return problem_of(not_found("there is nothing at this path")
                          .with_code("unknown_path")
                          .with_hint("openapi.json lists the paths there are."));
  }

  protocol::Final document() const {
    return {.message = document_, .headers = {{"Cache-Control", "no-cache"}}};
  }

 private:
  using Look = std::function<Result<std::string>(
      const Parameters& parameters, const datasets::DatasetReader& reader, catalog::Context& context)>;

  static Error no_datasets() {
    return not_found("this server has no datasets").with_code("dataset_not_found");
  }

  // An answer in JSON that is made of the parameters of the URL.
  protocol::Final look(const protocol::Exchange& exchange, const Access& caller,
                       std::span<const std::string_view> known, const Look& ask) const {
    const protocol::HttpHead& head = *exchange.inbound().http;
    const Result<Parameters> parameters = read_parameters(split_target(head.target).query, known);
    if (!parameters.ok()) return problem_of(parameters.error());
    const std::shared_ptr<const RowSource> source = source_.get();
    if (source == nullptr) return problem_of(no_datasets());
    RestContext context(caller, exchange.gone(), system_clock().now() + kLookTime);
    Result<std::string> answer = ask(*parameters, *source->reader, context);
    return answer.ok() ? json_response(*std::move(answer)) : problem_of(answer.error());
  }

  const RestOptions options_;
  const std::shared_ptr<catalog::Gate> gate_;  // Shared with the server. May be null.
  const RowSourceSlot& source_;
  const datasets::ReaderTools tools_;
  const RestQuestionReader questions_;
  const std::string document_;
};

}  // namespace

std::vector<transport::HttpRoute> make_rest_routes(const RestOptions& options,
                                                   std::shared_ptr<catalog::Gate> gate,
                                                   const RowSourceSlot& source) {
  const auto api =
      std::make_shared<const RestApi>(options, std::move(gate), source);  // Shared by the routes alone.
  std::vector<transport::HttpRoute> out;
  const auto add = [&](std::string_view path, std::vector<std::string> methods, RestApi::Answer answer) {
    out.push_back({.path = options.path + std::string(path),
                   .methods = std::move(methods),
                   .receiver = [api, answer](const auto& exchange) { api->receive(exchange, answer); },
                   .is_open = {},
                   .takes_basic = options.basic,
                   .refuses_cross_site = true});
  };
  out.push_back({.path = options.path + "/openapi.json",
                 .methods = {"GET"},
                 .receiver = [api](const auto& exchange) { exchange->finish(api->document()); },
                 .is_open = [](const protocol::HttpHead&) { return true; }});
  add("/datasets", {"GET"}, &RestApi::list);
  add("/schema", {"GET"}, &RestApi::schema);
  add("/query", {"GET", "POST"}, &RestApi::query);
  add("/me", {"GET"}, &RestApi::me);
  add("/", {"GET", "POST"}, &RestApi::unknown);
  return out;
}

}  // namespace sluice::exports
