// A server on standard input and output that does not do what it should: misbehaving_server MODE. It speaks
// the legacy handshake, so that what it does wrong is done by a server that a client has accepted.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

std::string id_of(const std::string& line) {
  const std::size_t at = line.find("\"id\":");
  if (at == std::string::npos) return {};
  return line.substr(at + 5, line.find_first_of(",}", at) - at - 5);
}

bool asks(const std::string& line, std::string_view method) {
  return line.find("\"method\":\"" + std::string(method) + "\"") != std::string::npos;
}

void say(const std::string& text) { std::cout << text << "\n" << std::flush; }

void answer(const std::string& id, const std::string& result) {
  say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
}

constexpr const char* kOk = R"({"content":[{"type":"text","text":"ok"}]})";

void flood(const std::string& id) {
  for (int i = 0; i < 20'000; ++i)
    say(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://)" +
        std::to_string(i) + R"("}})");
  answer(id, kOk);
}

void call(const std::string& mode, const std::string& id) {
  if (mode == "garbage") {
    for (int i = 0; i < 10'000; ++i) say("this is no message");
  } else if (mode == "some_garbage") {
    say("listening on stdio!");
    answer(id, kOk);
  } else if (mode == "twice") {
    answer(id, kOk);
    answer(id, R"({"content":[{"type":"text","text":"again"}]})");
  } else if (mode == "wrong_ids") {
    answer("999999", kOk);
    answer("\"" + id + "\"", kOk);
    answer("-" + id, kOk);
    answer(id, kOk);
  } else if (mode == "huge_line") {
    const std::string piece(1'000'000, 'x');
    for (int i = 0; i < 16; ++i) std::cout << piece;
    std::cout << std::flush;
  } else if (mode == "deep") {
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + std::string(100'000, '[') +
        std::string(100'000, ']') + "}");
  } else if (mode == "bad_code") {
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":"fatal","message":"no"}})");
  } else if (mode == "bad_code_spaced") {
    say("{\"jsonrpc\":\"2.0\",\t\"id\" : " + id + "\t,\"error\":{\"code\":\"fatal\",\"message\":\"no\"}}");
  } else if (mode == "bad_code_batch") {
    say(R"([{"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":"fatal","message":"no"}}])");
  } else if (mode == "bad_number") {
    say(R"({"jsonrpc":"2.0","result":{"content":[],"n":)" + std::string(5'000, '9') + R"(},"id":)" + id +
        "}");
  } else if (mode == "bad_question") {
    say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"roots/list","params":)" + std::string(500, '[') +
        std::string(500, ']') + "}");
    answer(id, kOk);
  } else if (mode == "flood") {
    flood(id);
  } else if (mode == "dies") {
    ::_exit(9);
  } else if (mode == "killed") {
    ::kill(::getpid(), SIGKILL);
  } else if (mode == "half") {
    std::cout << R"({"jsonrpc":"2.0","id":)" << std::flush;
    ::_exit(0);
  } else if (mode == "no_object") {
    answer(id, "[]");
  } else if (mode == "empty") {
    answer(id, "{}");
  } else if (mode == "questions") {
    for (int i = 0; i < 1'000; ++i)
      say(R"({"jsonrpc":"2.0","id":"q)" + std::to_string(i) + R"(","method":"roots/list"})");
    answer(id, kOk);
  } else if (mode != "silent" && mode != "stubborn") {
    answer(id, kOk);
  }
}

void introduce(const std::string& id) {
  answer(id, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true}},)"
             R"("serverInfo":{"name":"misbehaving","version":"1"}})");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "stubborn") {
    ::signal(SIGTERM, SIG_IGN);
    // A child of its own that holds the pipe as well.
    if (::fork() == 0) {
      while (true) ::pause();
    }
    std::cerr << "stubborn " << ::getpid() << std::endl;
  }
  if (mode == "no_start") return 1;
  bool is_asleep = true;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string id = id_of(line);
    if (asks(line, "server/discover")) {
      if (mode == "dies_of_probe") return 1;
      if (mode == "silent_probe") continue;
      // As one that is still starting when it is asked for the first time.
      if (mode == "slow_modern" && std::exchange(is_asleep, false)) continue;
      if (mode == "slow_modern") {
        answer(id, R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},)"
                   R"("serverInfo":{"name":"slow","version":"1"},"ttlMs":0,"cacheScope":"private"})");
        continue;
      }
      say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"Method not found"}})");
    } else if (asks(line, "initialize") && mode == "slow_modern") {
      say(R"({"jsonrpc":"2.0","id":)" + id +
          R"(,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}})");
    } else if (asks(line, "initialize")) {
      if (mode == "future")
        answer(id, R"({"protocolVersion":"2099-01-01","capabilities":{}})");
      else
        introduce(id);
    } else if (asks(line, "tools/list") && mode == "endless_list") {
      answer(id, R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"c)" + id + R"("})");
    } else if (asks(line, "tools/list") && mode == "same_page") {
      answer(id, R"({"tools":[],"nextCursor":"again"})");
    } else if (!id.empty() && line.find("\"method\"") != std::string::npos) {
      call(mode, id);
    }
  }
  if (mode == "stubborn") {
    while (true) ::pause();
  }
  return 0;
}
