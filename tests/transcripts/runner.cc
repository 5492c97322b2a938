// Runs the files of this folder: what a client sends to a server, and what it is answered. See README.md.
#include <charconv>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"

#include "case_run.h"
#include "sample_parts.h"
#include "test_client.h"

namespace sluice::transcripts {
namespace {

using case_files::Case;
using case_files::CaseFile;
using case_files::fail_at;
using case_files::Step;
using server::ServerOptions;
using server::testing::Dialect;
using server::testing::TestClient;
using server::testing::TestServer;
using server::testing::Transport;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Whether a dialect is one that a word means: an era, a transport, a revision, or ">=REVISION".
bool means(std::string_view word, const Dialect& dialect) {
  const std::string_view revision = protocol::to_string(dialect.revision);
  if (word == "every") return true;
  if (word == "modern") return dialect.modern();
  if (word == "legacy") return !dialect.modern();
  if (word == "pipe") return dialect.pipe();
  if (word == "http") return !dialect.pipe();
  if (word.starts_with(">=")) return revision >= word.substr(2);
  if (word.starts_with("<")) return revision < word.substr(1);
  return word == revision;
}

// The dialects of a file: those that a word of its line `era` and a word of its line `transport` mean.
// "newest" are the newest revisions of both eras.
std::vector<Dialect> dialects_of(const CaseFile& file) {
  std::string_view eras = "every";
  std::string_view transports = "pipe http";
  for (const Step& step : file.head) {
    if (step.first_word() == "era") eras = step.after_first_word();
    if (step.first_word() == "transport") transports = step.after_first_word();
  }
  std::vector<Dialect> found;
  for (const Dialect& dialect : server::testing::every_dialect()) {
    const bool is_newest = dialect.modern() || dialect.revision == protocol::kNewestLegacy;
    const auto fits = [&](std::string_view word) {
      return means(word, dialect) || (word == "newest" && is_newest);
    };
    const std::vector<std::string_view> era_words = words_of(eras);
    const std::vector<std::string_view> transport_words = words_of(transports);
    if (std::any_of(era_words.begin(), era_words.end(), fits) &&
        std::any_of(transport_words.begin(), transport_words.end(), fits))
      found.push_back(dialect);
  }
  return found;
}

// One client of a case, and the last answer it got.
struct Peer {
  std::unique_ptr<TestClient> client;
  Transport transport = Transport::kPipe;
  std::vector<std::unique_ptr<TestClient::Pending>> sent;  // Open streams stay open until the case ends.
  json::Value answer;
};

// What was sent last, and what became of it so far.
struct LastSent {
  const Step* step = nullptr;  // Null: everything about it has been checked.
  TestClient::Pending* pending = nullptr;
  bool is_answer_next = false;  // On a pipe: the answer has no id, so it is the next message.
  bool is_error_expected = false;
  bool is_checked = false;
};

void set_header(protocol::HttpHead& head, std::string_view name, const std::optional<std::string>& value) {
  if (name == "MCP-Protocol-Version") head.protocol_version = value;
  if (name == "Mcp-Method") head.mcp_method = value;
  if (name == "Mcp-Name") head.mcp_name = value;
  if (name == "Mcp-Session-Id") head.session_id = value;
  constexpr std::string_view kParameter = "Mcp-Param-";
  if (name.starts_with(kParameter) && value) {
    std::string key(name.substr(kParameter.size()));
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    head.mcp_params.emplace_back(std::move(key), *value);
  }
}

class Transcript {
 public:
  Transcript(const CaseFile& file, const Case& one, const Dialect& dialect)
      : file_(file), case_(one), dialect_(dialect) {}

  void run() {
    start_server();
    use_client("client", {});
    for (const Step& step : case_.steps) run_conditionally(step);
    finish_exchange();
    if (!is_anything_sent_ && !is_left_out_) fail_at(file_, case_.line, "a case that sends nothing");
  }

 private:
  void start_server() {
    ServerOptions options;
    std::vector<const Step*> parts;
    for (const std::vector<Step>* steps : {&file_.head, &case_.steps}) {
      for (const Step& step : *steps) {
        if (step.first_word() == "instructions") options.instructions = std::string(step.after_first_word());
        if (step.first_word() == "message_bytes_max")
          options.message_bytes_max = number_of(step.after_first_word());
        if (step.first_word() == "server") parts.push_back(&step);
      }
    }
    server_ = std::make_unique<TestServer>(std::move(options));
    for (const Step* step : parts) {
      for (const std::string_view word : words_of(step->after_first_word())) {
        const std::size_t sign = std::min(word.find('='), word.size());
        const auto count = static_cast<int>(number_of(word.substr(std::min(sign + 1, word.size()))));
        if (!add_part(*server_, word.substr(0, sign), count))
          fail_at(file_, step->line, "the server has no part " + std::string(word));
      }
    }
  }

  static std::size_t number_of(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  // `[WORD ...] LINE` counts if every word means the dialect that runs.
  void run_conditionally(const Step& step) {
    if (!step.text.starts_with("[")) return run_step(step);
    const std::size_t end = step.text.find("] ");
    if (end == std::string::npos) return fail_at(file_, step.line, "a condition without its end");
    for (const std::string_view word : words_of(std::string_view(step.text).substr(1, end - 1))) {
      if (!means(word, dialect_)) {
        is_left_out_ = true;
        return;
      }
    }
    Step rest = step;
    rest.text = step.text.substr(end + 2);
    run_step(rest);
  }

  void run_step(const Step& step) {
    const std::string_view word = step.first_word();
    if (word == "server" || word == "instructions" || word == "message_bytes_max") return;
    if (word == "client") return use_client_of(step);
    if (word == ">" || word == ">>" || word == "http" || word == "notify") return send(step);
    if (word == "with" || word == "without") return change_header(step);
    if (word == "let") {
      last_.is_checked = true;  // It fails if there is nothing to save.
      return case_files::save_value(file_, step, peer().answer, values_);
    }
    if (word == "unanswered") return expect_no_answer(step);
    if (word == "status" || word == "header") return check_http(step);
    if (!case_files::Expectation::is_one(step))
      return fail_at(file_, step.line, "no such line: " + step.text);
    if (last_.step == nullptr)
      return fail_at(file_, step.line, "an expectation ahead of everything that is sent");
    if (last_.is_answer_next) peer().answer = peer().client->next().value();
    last_.is_answer_next = false;
    last_.is_error_expected |= step.text.starts_with("error");
    last_.is_checked = true;
    case_files::check_line(file_, step, peer().answer, values_);
  }

  // `client NAME [REVISION] [pipe|http] [principal=ID]`: goes on as that client, which is made if there is
  // none yet.
  void use_client_of(const Step& step) {
    const std::vector<std::string_view> words = words_of(step.after_first_word());
    if (words.empty()) return fail_at(file_, step.line, "a client without a name");
    use_client(words.front(), {words.begin() + 1, words.end()});
  }

  void use_client(std::string_view name, const std::vector<std::string_view>& words) {
    finish_exchange();
    current_ = name;
    Peer& made = peer();
    if (made.client != nullptr) return;
    Dialect dialect = dialect_;
    server::testing::ClientOptions options;
    constexpr std::string_view kPrincipal = "principal=";
    for (const std::string_view word : words) {
      if (word == "pipe" || word == "http")
        dialect.transport = word == "pipe" ? Transport::kPipe : Transport::kHttp;
      if (word.starts_with(kPrincipal))
        options.principal = {.id = std::string(word.substr(kPrincipal.size()))};
      for (const protocol::Revision revision : protocol::kAllRevisions) {
        if (word == protocol::to_string(revision)) dialect.revision = revision;
      }
    }
    made.client = std::make_unique<TestClient>(**server_, dialect, std::move(options));
    values_.set(std::string(name) + "_session", made.client->session_id());
    made.transport = dialect.transport;
  }

  bool is_pipe() { return peer().transport == Transport::kPipe; }
  Peer& peer() { return peers_[current_]; }

  void change_header(const Step& step) {
    const std::string rest = values_.expand(step.after_first_word());
    const std::size_t colon = rest.find(": ");
    if (step.first_word() == "without") {
      changes_.emplace_back(rest, std::nullopt);
    } else if (colon != std::string::npos) {
      const json::Value value = rest[colon + 2] == '"'
                                    ? case_files::read_json(file_, step, rest.substr(colon + 2))
                                    : json::Value(rest.substr(colon + 2));
      changes_.emplace_back(rest.substr(0, colon), case_files::text_of(&value));
    } else {
      fail_at(file_, step.line, "a header without a value: write `with NAME: VALUE`");
    }
  }

  void send(const Step& step) {
    finish_exchange();
    last_ = {.step = &step};
    is_anything_sent_ = true;
    const std::string rest = values_.expand(step.after_first_word());
    TestClient& client = *peer().client;
    if (step.first_word() == ">>") return send_raw(rest);
    const std::string method = rest.substr(0, rest.find(' '));
    const std::string params = method.size() < rest.size() ? rest.substr(method.size() + 1) : "{}";
    if (!case_files::read_json(file_, step, params).is_object()) return;
    if (step.first_word() == "notify") {
      last_.is_checked = true;  // TestClient checks the status.
      peer().answer = {};
      return client.notify(method, params);
    }
    if (step.first_word() == "http") {
      protocol::HttpHead head = changed(client.head("", "{}"));
      head.method = method;
      return take(client.post(std::move(head), ""));
    }
    if (is_pipe() || changes_.empty()) {
      changes_.clear();
      return take(client.start(method, params));
    }
    take(client.post(changed(client.head(method, params)), client.request(client.next_id(), method, params)));
  }

  // A text as it is.
  void send_raw(const std::string& text) {
    TestClient& client = *peer().client;
    const Result<json::Value> value = json::read(text);
    const json::Value* id = value ? value->find("id") : nullptr;
    const json::Value* method = value ? value->find("method") : nullptr;
    const bool is_as_it_is = is_pipe() || changes_.empty();
    auto pending = is_as_it_is ? client.send(text)
                               : client.post(changed(client.head(case_files::text_of(method), "{}")), text);
    changes_.clear();
    if (!is_pipe() || (id != nullptr && !id->is_null())) return take(std::move(pending));
    peer().answer = {};
    last_.is_answer_next = true;
  }

  protocol::HttpHead changed(protocol::HttpHead head) {
    for (const auto& [name, value] : changes_) set_header(head, name, value);
    changes_.clear();
    return head;
  }

  void take(std::unique_ptr<TestClient::Pending> pending) {
    peer().sent.push_back(std::move(pending));
    last_.pending = peer().sent.back().get();
    peer().answer = last_.pending->reply().value();
  }

  // Over HTTP an empty body. On a pipe nothing but the answer to a further request.
  void expect_no_answer(const Step& step) {
    last_.is_answer_next = false;
    last_.is_checked = true;
    if (!peer().answer.is_null())
      fail_at(file_, step.line, "an answer that is not expected: " + json::to_text(peer().answer));
    if (!is_pipe()) return;
    EXPECT_TRUE(peer().client->call("tools/list").value().is_object());
    if (!peer().client->is_quiet()) fail_at(file_, step.line, "the server sent something");
  }

  // `status is 404`, `header NAME is TEXT`: of the response. A pipe has neither.
  void check_http(const Step& step) {
    last_.is_checked = true;
    if (last_.pending == nullptr || is_pipe()) return;
    if (step.first_word() == "status")
      return case_files::check_line(file_, step, json::Object{{"status", last_.pending->status()}}, values_);
    Step about = step;
    about.text = step.after_first_word();
    const std::string name(about.first_word());
    case_files::check_line(file_, about, json::Object{{name, last_.pending->header(name)}}, values_);
  }

  // An error that no line expects, and something sent without an expectation, are failures.
  void finish_exchange() {
    if (last_.step == nullptr) return;
    if (peer().answer.find("error") != nullptr && !last_.is_error_expected)
      fail_at(file_, last_.step->line, "an error that is not expected: " + json::to_text(peer().answer));
    if (!last_.is_checked) fail_at(file_, last_.step->line, "sent without an expectation");
    last_ = {};
  }

  const CaseFile& file_;
  const Case& case_;
  const Dialect dialect_;
  std::unique_ptr<TestServer> server_;
  std::map<std::string, Peer> peers_;
  std::string current_;  // A key of `peers_`.
  std::vector<std::pair<std::string, std::optional<std::string>>>
      changes_;  // Of headers of the next request.
  case_files::Values values_;
  LastSent last_;
  bool is_anything_sent_ = false;
  bool is_left_out_ = false;  // A line was not for this dialect.
};

std::vector<case_files::Variant> variants_of(const CaseFile& file) {
  std::vector<case_files::Variant> variants;
  for (const Dialect& dialect : dialects_of(file)) {
    variants.push_back(
        {.name = std::string(dialect.pipe() ? "pipe " : "http ") +
                 std::string(protocol::to_string(dialect.revision)),
         .run = [dialect](const CaseFile& of, const Case& one) { Transcript(of, one, dialect).run(); }});
  }
  return variants;
}

}  // namespace
}  // namespace sluice::transcripts

int main(int argc, char** argv) {
  return sluice::case_files::run_case_files(argc, argv, sluice::transcripts::variants_of);
}
