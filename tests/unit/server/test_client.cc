#include "test_client.h"

#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"
#include "sluice/protocol/wire/header_value.h"

namespace sluice::server::testing {

TestClient::TestClient(Server& server, Dialect dialect, ClientOptions options)
    : server_(server), dialect_(dialect), options_(std::move(options)) {
  if (dialect_.pipe()) pipe_ = std::make_unique<transport::MemoryPipe>(server_.receiver());
  if (!dialect_.modern()) open_session();
}

TestClient::~TestClient() {
  stream_.reset();
  if (pipe_ == nullptr) return;
  // What nobody read is still held against the schema.
  while (const std::optional<std::string> rest = pipe_->receive(std::chrono::milliseconds(0))) read(*rest);
}

void TestClient::open_session() {
  const std::string version(protocol::to_string(dialect_.revision));
  const auto opened =
      start("initialize", R"({"protocolVersion":")" + version + R"(","capabilities":)" +
                              options_.capabilities + R"(,"clientInfo":{"name":"test","version":"1"}})");
  const WireMessage reply = opened->reply();
  EXPECT_EQ(reply.text({"result", "protocolVersion"}), version) << json::to_text(reply.value());
  if (!dialect_.pipe()) session_id_ = opened->header("Mcp-Session-Id");
  notify("notifications/initialized");
}

json::Object TestClient::with_metadata(std::string_view params) const {
  json::Object object = *parse(params).if_object();
  if (!dialect_.modern()) return object;
  json::Object meta;
  if (const json::Value* given = object.find("_meta")) meta = *given->if_object();
  meta.set("io.modelcontextprotocol/protocolVersion", std::string(protocol::to_string(dialect_.revision)));
  meta.set("io.modelcontextprotocol/clientInfo", parse(R"({"name":"test","version":"1"})"));
  meta.set("io.modelcontextprotocol/clientCapabilities", parse(options_.capabilities));
  if (!options_.log_level.empty()) meta.set("io.modelcontextprotocol/logLevel", options_.log_level);
  object.set("_meta", std::move(meta));
  return object;
}

std::string TestClient::request(std::string_view id, std::string_view method, std::string_view params) const {
  return json::to_text(json::Object{
      {"jsonrpc", "2.0"}, {"id", parse(id)}, {"method", method}, {"params", with_metadata(params)}});
}

protocol::HttpHead TestClient::head(std::string_view method, std::string_view params) const {
  protocol::HttpHead head;
  head.method = "POST";
  if (!session_id_.empty() && !dialect_.modern()) head.session_id = session_id_;
  if (dialect_.revision >= Revision::k2025_06_18 && method != "initialize")
    head.protocol_version = protocol::to_string(dialect_.revision);
  if (!dialect_.modern()) return head;
  head.mcp_method = method;
  const WireMessage given(parse(params));
  const char* target = method.starts_with("tasks/") ? "taskId" : method == "resources/read" ? "uri" : "name";
  if (given.has({target})) head.mcp_name = protocol::encode_header_value(given.text({target}));
  return head;
}

std::unique_ptr<TestClient::Pending> TestClient::start(std::string_view method, std::string_view params) {
  const std::string body = request(next_id(), method, params);
  return dialect_.pipe() ? send(body) : post(head(method, params), body);
}

std::unique_ptr<TestClient::Pending> TestClient::start_tool(std::string_view name,
                                                            std::string_view arguments) {
  return start("tools/call", json::to_text(json::Object{{"name", name}, {"arguments", parse(arguments)}}));
}

WireMessage TestClient::call(std::string_view method, std::string_view params) {
  return start(method, params)->reply();
}

WireMessage TestClient::call_tool(std::string_view name, std::string_view arguments) {
  return start_tool(name, arguments)->reply();
}

void TestClient::notify(std::string_view method, std::string_view params) {
  const std::string body =
      json::to_text(json::Object{{"jsonrpc", "2.0"}, {"method", method}, {"params", parse(params)}});
  if (dialect_.pipe()) return pipe_->send(body);
  EXPECT_EQ(post(head(method, params), body)->status(), 202) << body;
}

void TestClient::answer(const WireMessage& question, std::string_view result) {
  const std::string body =
      R"({"jsonrpc":"2.0","id":)" + question.id() + R"(,"result":)" + std::string(result) + "}";
  if (dialect_.pipe()) return pipe_->send(body);
  EXPECT_EQ(post(head("", "{}"), body)->status(), 202) << body;
}

void TestClient::answer_with_error(const WireMessage& question, std::string_view error) {
  const std::string body =
      R"({"jsonrpc":"2.0","id":)" + question.id() + R"(,"error":)" + std::string(error) + "}";
  if (dialect_.pipe()) return pipe_->send(body);
  EXPECT_EQ(post(head("", "{}"), body)->status(), 202) << body;
}

// Notes which answers a text will have, if it is a request at all.
void TestClient::remember(const std::string& body) {
  const Result<json::Value> sent = json::read(body);
  if (!sent) return;
  const WireMessage message(*sent);
  if (const json::Array* batch = sent->if_array()) {
    for (const json::Value& member : *batch) remember(json::to_text(member));
    return;
  }
  if (message.id().empty() || !message.at({"method"}).is_string()) return;
  const bool modern = message.has({"params", "_meta", "io.modelcontextprotocol/protocolVersion"});
  const Revision legacy = dialect_.modern() ? protocol::kNewestLegacy : dialect_.revision;
  schema_.expect_answer(message.id(), message.method(), modern ? protocol::kNewest : legacy);
}

std::unique_ptr<TestClient::Pending> TestClient::post(protocol::HttpHead head, const std::string& body) {
  remember(body);
  const Result<json::Value> sent = json::read(body);
  return std::make_unique<Pending>(*this, sent ? WireMessage(*sent).id() : "",
                                   std::make_unique<transport::MemoryRequest>(
                                       server_.receiver(), std::move(head), body, options_.principal));
}

std::unique_ptr<TestClient::Pending> TestClient::send(const std::string& body) {
  if (!dialect_.pipe()) return post(head("", "{}"), body);
  remember(body);
  pipe_->send(body);
  const Result<json::Value> sent = json::read(body);
  return std::make_unique<Pending>(*this, sent ? WireMessage(*sent).id() : "", nullptr);
}

WireMessage TestClient::read(const std::string& text) {
  const Result<json::Value> message = json::read(text, {.bytes_max = kReplyBytesMax});
  EXPECT_TRUE(message.ok()) << "the server sent no JSON: " << text;
  if (!message) return WireMessage{};
  schema_.check(*message, dialect_.revision);
  return WireMessage(*message);
}

void TestClient::pump() {
  const std::optional<std::string> text = pipe_->receive(kPatience);
  ASSERT_TRUE(text.has_value()) << "the server sent nothing";
  take(read(*text));
}

void TestClient::take(WireMessage message) {
  if (message.method().empty() && !message.id().empty()) {
    const std::string id = message.id();
    EXPECT_FALSE(replies_.contains(id)) << "answered twice: " << id;
    replies_.insert_or_assign(id, std::move(message));
  } else {
    inbox_.push_back(std::move(message));
  }
}

WireMessage TestClient::take_reply(const std::string& id) {
  while (!replies_.contains(id)) {
    pump();
    if (::testing::Test::HasFatalFailure()) return WireMessage{};
  }
  WireMessage reply = std::move(replies_.at(id));
  replies_.erase(id);
  return reply;
}

WireMessage TestClient::next() {
  if (!dialect_.pipe()) return stream_->next();
  while (inbox_.empty()) {
    pump();
    if (::testing::Test::HasFatalFailure()) return WireMessage{};
  }
  WireMessage message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

bool TestClient::is_quiet() {
  while (const std::optional<std::string> text = pipe_->receive(std::chrono::milliseconds(0)))
    take(read(*text));
  return inbox_.empty() && replies_.empty();
}

bool TestClient::is_refused_soon() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (!call("tools/list").is_result()) return true;
    std::this_thread::yield();
  }
  return false;
}

void TestClient::open_stream() {
  if (dialect_.pipe()) return;
  protocol::HttpHead opening = head("", "{}");
  opening.method = "GET";
  stream_ = post(std::move(opening), "");
}

std::unique_ptr<TestClient::Pending> TestClient::resume(const std::string& last_event_id) {
  protocol::HttpHead opening = head("", "{}");
  opening.method = "GET";
  opening.last_event_id = last_event_id;
  return post(std::move(opening), "");
}

void TestClient::close() { pipe_->close(); }

TestClient::Pending::Pending(TestClient& client, std::string id,
                             std::unique_ptr<transport::MemoryRequest> http)
    : client_(client), id_(std::move(id)), http_(std::move(http)) {}

TestClient::Pending::~Pending() {
  if (http_ == nullptr) return;
  const transport::MemoryRequest::Outcome outcome = http_->wait_events(0, std::chrono::milliseconds(0));
  for (; taken_ < outcome.events.size(); ++taken_) client_.read(outcome.events[taken_].message);
}

transport::MemoryRequest::Outcome TestClient::Pending::finished() {
  transport::MemoryRequest::Outcome outcome = http_->wait(kPatience);
  EXPECT_TRUE(outcome.final.has_value() || outcome.released) << "the response does not end";
  if (!outcome.final) outcome.final = protocol::Final{.status = 0};
  return outcome;
}

WireMessage TestClient::Pending::reply() {
  if (http_ == nullptr) return client_.take_reply(id_);
  const transport::MemoryRequest::Outcome outcome = finished();
  return outcome.final->message.empty() ? WireMessage{} : client_.read(outcome.final->message);
}

WireMessage TestClient::Pending::next() {
  if (http_ == nullptr) return client_.next();
  const transport::MemoryRequest::Outcome outcome = http_->wait_events(taken_ + 1, kPatience);
  EXPECT_GT(outcome.events.size(), taken_) << "the server sent nothing on this stream";
  if (outcome.events.size() <= taken_) return WireMessage{};
  return client_.read(outcome.events[taken_++].message);
}

void TestClient::Pending::cancel() {
  if (http_ != nullptr && client_.dialect_.modern()) return http_->close();
  client_.notify("notifications/cancelled", R"({"requestId":)" + id_ + R"(,"reason":"no longer wanted"})");
}

int TestClient::Pending::status() { return finished().final->status; }
bool TestClient::Pending::released() { return finished().released; }
bool TestClient::Pending::streamed() { return finished().streamed; }

std::string TestClient::Pending::header(std::string_view name) {
  const transport::MemoryRequest::Outcome outcome = finished();
  for (const auto& [key, value] : outcome.final->headers) {
    if (key == name) return value;
  }
  return {};
}

std::string TestClient::Pending::event_id(int event) {
  const auto number = static_cast<std::size_t>(event);
  const transport::MemoryRequest::Outcome outcome = http_->wait_events(number + 1, kPatience);
  return outcome.events.size() > number ? outcome.events[number].event_id : std::string{};
}

}  // namespace sluice::server::testing
