#include "sluice/apis/apis_provider.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/contents/body_media.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/uri_query.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/resource.h"

#include "answer_cache.h"
#include "api_source.h"
#include "api_uri.h"
#include "poller.h"

namespace sluice::apis {

namespace {

using Sources = std::vector<std::unique_ptr<ApiSource>>;

// What a URI asks for.
struct Asked {
  ApiSource* source = nullptr;
  const Endpoint* endpoint = nullptr;
  Values values;
  contents::Range range;
};

std::optional<contents::UriQuery> parse_query(const Endpoint& endpoint, std::string_view text) {
  std::vector<std::string_view> known{"offset", "length"};
  known.insert(known.end(), endpoint.query_parameters().begin(), endpoint.query_parameters().end());
  return contents::UriQuery::parse(text, known);
}

// Fills in what the URI says. False where the endpoint has no such resource.
bool read_parameters(const ApiUri& uri, Asked& asked) {
  const std::vector<std::string>& names = asked.endpoint->path_parameters();
  if (uri.values.size() != names.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i) asked.values[names[i]] = uri.values[i];
  if (!uri.query) return true;
  const std::optional<contents::UriQuery> query = parse_query(*asked.endpoint, *uri.query);
  const std::optional<contents::Range> range = query ? query->range() : std::nullopt;
  if (!range) return false;
  asked.range = *range;
  for (const std::string& name : asked.endpoint->query_parameters()) {
    if (query->has(name)) asked.values[name] = std::string(query->text(name));
  }
  return true;
}

std::string describe(const Endpoint& endpoint) {
  std::string out = endpoint.spec().description;
  for (const ParameterSpec& parameter : endpoint.spec().parameters) {
    if (parameter.description.empty()) continue;
    out += fmt::format("{}{}: {}", out.empty() ? "" : " ", parameter.name, parameter.description);
  }
  return out;
}

// One page of `all`, which is in order of `key`.
template <typename T, typename Key>
std::vector<T> page_of(const std::vector<T>& all, const catalog::ListQuery& query, Key key) {
  const auto begin =
      std::upper_bound(all.begin(), all.end(), query.after,
                       [&](const std::string& after, const T& each) { return after < each.*key; });
  const auto left = static_cast<std::size_t>(all.end() - begin);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(left, query.limit))};
}

class ApisProvider final : public catalog::Provider,
                           public catalog::ResourceProvider,
                           public catalog::CompletionProvider {
 public:
  explicit ApisProvider(const Clock& clock)
      : Provider({.name = "apis"}),
        clock_(clock),
        cache_(clock),
        poller_(clock, [this](const std::string& uri) { tell(uri); }) {}

  Status open(const std::vector<ApiSpec>& apis) {
    std::set<std::string> names;
    for (const ApiSpec& spec : apis) {
      if (!names.insert(spec.name).second)
        return invalid_api(fmt::format("two APIs are called {}", excerpt(spec.name)));
      SLUICE_TRY(std::unique_ptr<ApiSource> source, ApiSource::open(spec, clock_, cache_));
      for (const Endpoint& endpoint : source->endpoints()) list(spec, endpoint);
      sources_.push_back(std::move(source));
    }
    std::sort(resources_.begin(), resources_.end(),
              [](const auto& a, const auto& b) { return a.uri < b.uri; });
    std::sort(templates_.begin(), templates_.end(),
              [](const auto& a, const auto& b) { return a.uri_template < b.uri_template; });
    return {};
  }

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }
  void attach(catalog::ChangeSink& sink) override { sink_ = &sink; }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    return page_of(resources_, query, &protocol::Resource::uri);
  }
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return page_of(templates_, query, &protocol::ResourceTemplate::uri_template);
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    const std::optional<Asked> asked = parse(uri);
    if (!asked) return protocol::resource_not_found(uri.text());
    Result<Kept> kept = load(*asked, context);
    if (!kept.ok()) {
      if (kept.error().kind == ErrorKind::kNotFound) return protocol::resource_not_found(uri.text());
      return std::move(kept).error();
    }
    return present(*asked, *kept, contents::plain_uri(uri), contents::read_room(context));
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context&) override {
    const auto* reference = std::get_if<protocol::TemplateReference>(&request.reference);
    if (reference == nullptr) return protocol::Completion{};
    for (const auto& source : sources_) {
      for (const Endpoint& endpoint : source->endpoints()) {
        if (endpoint.uri_template() != reference->uri_template) continue;
        const ParameterSpec* parameter = endpoint.find_parameter(request.argument);
        if (parameter == nullptr) return protocol::Completion{};
        return contents::complete_among(parameter->values, request.typed);
      }
    }
    return protocol::Completion{};
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "api"; }

  void watch(const ResourceUri& uri) override {
    const std::optional<Asked> asked = parse(uri);
    if (!asked) return;  // It names nothing that could change.
    Result<fetch::Url> url = asked->endpoint->bind(asked->values);
    if (!url.ok()) return;
    poller_.add(uri.text(), {.source = asked->source, .endpoint = asked->endpoint, .url = *std::move(url)});
  }
  void unwatch(const ResourceUri& uri) override { poller_.remove(uri.text()); }
  Status can_watch(const ResourceUri& uri) const override {
    const std::optional<Asked> asked = parse(uri);
    if (!asked || !asked->endpoint->bind(asked->values).ok()) return protocol::resource_not_found(uri.text());
    return poller_.has_room();
  }

 private:
  void list(const ApiSpec& spec, const Endpoint& endpoint) {
    const std::string name = fmt::format("{}/{}", spec.name, endpoint.spec().name);
    const std::string description = describe(endpoint);
    if (!endpoint.needs_parameters()) {
      protocol::Resource resource;
      resource.uri = endpoint.uri();
      resource.name = name;
      if (!description.empty()) resource.description = description;
      if (!endpoint.spec().mime_type.empty()) resource.mime_type = endpoint.spec().mime_type;
      resources_.push_back(std::move(resource));
    }
    if (endpoint.has_parameters()) {
      protocol::ResourceTemplate made;
      made.uri_template = endpoint.uri_template();
      made.name = name;
      if (!description.empty()) made.description = description;
      if (!endpoint.spec().mime_type.empty()) made.mime_type = endpoint.spec().mime_type;
      templates_.push_back(std::move(made));
    }
  }

  std::optional<Asked> parse(const ResourceUri& uri) const {
    const std::optional<ApiUri> parsed = parse_uri(uri);
    if (!parsed) return std::nullopt;
    const auto source = std::find_if(sources_.begin(), sources_.end(),
                                     [&](const auto& each) { return each->spec().name == parsed->api; });
    if (source == sources_.end()) return std::nullopt;
    Asked asked;
    asked.source = source->get();
    asked.endpoint = asked.source->find(parsed->endpoint);
    if (asked.endpoint == nullptr || !read_parameters(*parsed, asked)) return std::nullopt;
    return asked;
  }

  static Result<Kept> load(const Asked& asked, const catalog::Context& context) {
    SLUICE_TRY(const fetch::Url url, asked.endpoint->bind(asked.values));
    return asked.source->load(
        *asked.endpoint, url,
        {.principal = context.principal(), .stop = context.stop(), .deadline = context.deadline()});
  }

  Result<protocol::ReadResult> present(const Asked& asked, const Kept& kept, const std::string& uri,
                                       std::size_t room) const {
    const std::string whole = asked.endpoint->uri_of(asked.values);
    contents::ContentsRequest request;
    request.uri = uri;
    request.range = asked.range;
    request.type = kept.answer->type;
    // Whole JSON can be cut between its elements by whoever has less room; a part of it cannot.
    const bool is_whole_json = contents::is_json_type(request.type) && !asked.range.is_given() &&
                               kept.answer->body.size() <= contents::kContentBytesMax;
    if (!is_whole_json) request.room = room;
    request.range_uri = whole + (whole.find('?') == std::string::npos ? "?" : "&");
    SLUICE_TRY(protocol::ResourceContents contents,
               contents::read_contents(contents::MemorySource(kept.answer->body), request));
    if (!contents.meta.contains("sluice/next")) {
      if (const std::optional<std::string> next = next_page(asked, *kept.answer))
        contents.meta.set("sluice/next", *next);
    }
    protocol::ReadResult result;
    result.contents.push_back(std::move(contents));
    result.cache = {.ttl = ttl_of(asked, kept), .shared = false};
    return result;
  }

  std::chrono::milliseconds ttl_of(const Asked& asked, const Kept& kept) const {
    if (!kept.answer->is_kept) return std::chrono::milliseconds(0);
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - kept.as_of);
    return std::max(asked.source->spec().ttl - age, std::chrono::milliseconds(0));
  }

  static std::optional<std::string> next_page(const Asked& asked, const Answer& answer) {
    if (answer.next.empty()) return std::nullopt;
    const Result<fetch::Url> url = fetch::Url::parse(answer.next);
    const std::optional<Values> values = url.ok() ? asked.endpoint->match(*url, asked.values) : std::nullopt;
    if (!values || *values == asked.values) return std::nullopt;
    return asked.endpoint->uri_of(*values);
  }

  // On the poller's thread.
  void tell(const std::string& uri) {
    if (sink_ != nullptr) sink_->resource_updated(uri);
  }

  const Clock& clock_;
  catalog::ChangeSink* sink_ = nullptr;  // Set once, before anything is watched.
  AnswerCache cache_;
  Sources sources_;
  std::vector<protocol::Resource> resources_;          // In order of URI.
  std::vector<protocol::ResourceTemplate> templates_;  // In order of URI.
  Poller poller_;                                      // Last: it uses the sources.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_apis_provider(const std::vector<ApiSpec>& apis,
                                                              const Clock& clock) {
  auto provider = std::make_shared<ApisProvider>(clock);
  SLUICE_CHECK(provider->open(apis));
  return provider;
}

}  // namespace sluice::apis
