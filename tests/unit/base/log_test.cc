#include "sluice/base/log.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/text.h"

namespace sluice {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

std::string captured(const std::function<void()>& act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

// What follows the time, which changes: {"time":"2026-11-15T10:33:00.123Z",…
std::string without_time(const std::string& line) {
  constexpr std::size_t kTimeBytes = std::string_view(R"({"time":"2026-11-15T10:33:00.123Z",)").size();
  EXPECT_THAT(line, StartsWith(R"({"time":")"));
  return line.size() < kTimeBytes ? line : line.substr(kTimeBytes);
}

TEST(Log, WritesOneJsonObjectOnOneLine) {
  const std::string line = captured([] {
    log::info("request",
              {{"method", "tools/list"}, {"bytes", 12}, {"cached", true}, {"ratio", 0.5}, {"delta", -3}});
  });
  EXPECT_EQ(without_time(line),
            R"("level":"info","event":"request","method":"tools/list","bytes":12,"cached":true,)"
            R"("ratio":0.5,"delta":-3})"
            "\n");
}

TEST(Log, EscapesHostileText) {
  const std::string line = captured([] {
    log::warning("a\"b\n",
                 {{"k\"\\\n", "x\"},{\"y\":\"\\\r\n\t\x01\x7f"}, {"nul", std::string_view("a\0b", 3)}});
  });
  EXPECT_EQ(without_time(line), R"("level":"warning","event":"a\"b\u000a",)"
                                R"("k\"\\\u000a":"x\"},{\"y\":\"\\\u000d\u000a\u0009\u0001\u007f",)"
                                R"("nul":"a\u0000b"})"
                                "\n");
}

TEST(Log, ReplacesWhatIsNotUtf8) {
  const std::string line = captured([] { log::error("e", {{"bytes", "a\xff\xc3z\xed\xa0\x80 è"}}); });
  EXPECT_EQ(without_time(line),
            "\"level\":\"error\",\"event\":\"e\",\"bytes\":\"a\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD è\"}\n");
}

TEST(Log, WritesNumbersThatJsonCanRead) {
  const std::string line = captured([] {
    log::info("n", {{"nan", std::numeric_limits<double>::quiet_NaN()},
                    {"inf", -std::numeric_limits<double>::infinity()},
                    {"big", std::numeric_limits<std::uint64_t>::max()},
                    {"small", 1e-9}});
  });
  EXPECT_EQ(without_time(line),
            R"("level":"info","event":"n","nan":"nan","inf":"-inf","big":18446744073709551615,"small":1e-09})"
            "\n");
}

TEST(Log, CutsLongText) {
  const std::string line = captured([] { log::info("long", {{"text", std::string(10'000'000, 'x')}}); });
  EXPECT_LT(line.size(), 10'000U);
  EXPECT_THAT(line, HasSubstr("x…\"}\n"));
}

TEST(Log, DropsWhatIsBelowTheLevel) {
  EXPECT_EQ(captured([] { log::debug("hidden"); }), "");
  log::set_level(log::Level::kOff);
  EXPECT_EQ(captured([] {
              log::error("hidden");
              log::write(log::Level::kOff, "hidden", {});
            }),
            "");
  log::set_level(log::Level::kDebug);
  EXPECT_THAT(captured([] { log::debug("shown"); }), HasSubstr("shown"));
  log::set_level(log::Level::kInfo);
}

TEST(Log, KeepsLinesOfThreadsApart) {
  const std::string lines = captured([] {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int k = 0; k < 50; ++k) log::info("tick", {{"text", std::string(500, 'y')}});
      });
    }
  });
  std::size_t count = 0;
  for (std::size_t at = 0; at < lines.size(); ++count) {
    const std::size_t end = lines.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_THAT(lines.substr(at, end - at),
                MatchesRegex(R"(\{"time":"[^"]*","level":"info","event":"tick","text":"y*"\})"));
    at = end + 1;
  }
  EXPECT_EQ(count, 200U);
}

}  // namespace
}  // namespace sluice
