#include "ckan_server.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"

namespace sluice::ckan::testing {

namespace {

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

const json::Value* find(const json::Value& value, std::string_view path) {
  const json::Value* at = &value;
  while (!path.empty() && at != nullptr) {
    const std::string_view step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (const json::Array* array = at->if_array()) {
      const std::size_t index = std::stoul(std::string(step));
      at = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      at = at->find(step);
    }
  }
  return at;
}

}  // namespace

CkanSpec spec_at(const PortalFixture& fixture) {
  CkanSpec spec;
  for (const char* host : {"dati.gov.it", "demo.ckan.org"}) {
    PortalSpec portal;
    portal.host = host;
    portal.base = fixture.base();
    portal.allow_private = true;
    portal.ca_file = fixture.ca_file();
    portal.rate = {.per_second = 100'000, .burst = 100'000};
    portal.has_own_rate = true;
    portal.text_field = false;
    spec.portals.push_back(portal);
  }
  return spec;
}

CkanServer::CkanServer(const CkanSpec& spec, const Budget& budget) {
  server::ServerOptions options;
  options.budget = budget;
  options.clock = &clock_;
  server_ = take(
      server::Server::create(std::move(options), {take(make_ckan_provider(spec, std::nullopt, clock_))}));
  client_ = std::make_unique<TestClient>(*server_, server::testing::kModernPipe);
}

WireMessage CkanServer::reply(const std::string& uri) {
  return client_->call("resources/read", json::to_text(json::Object{{"uri", uri}}));
}

std::string CkanServer::text(const std::string& uri) {
  const WireMessage read = reply(uri);
  EXPECT_TRUE(read.has({"result", "contents", 0, "text"})) << uri << ": " << read.error();
  return read.text({"result", "contents", 0, "text"});
}

json::Value CkanServer::json(const std::string& uri) {
  const Result<json::Value> value = json::read(text(uri));
  EXPECT_TRUE(value.ok()) << uri;
  return value.ok() ? *value : json::Value();
}

std::string CkanServer::code(const std::string& uri) {
  const WireMessage read = reply(uri);
  return read.is_result() ? "" : read.text({"error", "data", "code"});
}

WireMessage CkanServer::call_raw(const std::string& tool, const json::Object& arguments) {
  return client_->call_tool(tool, json::to_text(arguments));
}

json::Value CkanServer::call(const std::string& tool, const json::Object& arguments) {
  const WireMessage reply = call_raw(tool, arguments);
  EXPECT_TRUE(reply.has({"result", "structuredContent"}))
      << tool << ": " << json::to_text(reply.value()).substr(0, 500);
  return reply.at({"result", "structuredContent"});
}

std::string CkanServer::markdown(const std::string& tool, const json::Object& arguments) {
  const WireMessage reply = call_raw(tool, arguments);
  EXPECT_FALSE(reply.has({"result", "isError"}) && reply.text({"result", "isError"}) == "true")
      << json::to_text(reply.value()).substr(0, 500);
  return reply.text({"result", "content", 0, "text"});
}

std::string CkanServer::tool_error(const std::string& tool, const json::Object& arguments) {
  const WireMessage reply = call_raw(tool, arguments);
  if (reply.text({"result", "isError"}) != "true") return "";
  const Result<json::Value> body = json::read(reply.text({"result", "content", 0, "text"}));
  return body.ok() ? at(*body, "code") : "not JSON";
}

std::string at(const json::Value& value, std::string_view path) {
  const json::Value* found = find(value, path);
  if (found == nullptr) return "(nothing)";
  return found->if_string() == nullptr ? json::to_text(*found) : *found->if_string();
}

std::size_t size_at(const json::Value& value, std::string_view path) {
  const json::Value* found = find(value, path);
  if (found == nullptr) return 0;
  if (const json::Array* array = found->if_array()) return array->size();
  return found->if_object() == nullptr ? 0 : found->if_object()->size();
}

}  // namespace sluice::ckan::testing
