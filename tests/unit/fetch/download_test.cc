#include "sluice/fetch/download.h"

#include <atomic>
#include <string>

#include <gmock/gmock.h>

#include "fake_time.h"
#include "fetching.h"

namespace sluice::fetch::testing {
namespace {

class Target final : public DownloadTarget {
 public:
  Status append(std::string_view piece) override {
    text += piece;
    return {};
  }
  Status restart() override {
    text.clear();
    ++restarts;
    return {};
  }
  std::string text;
  int restarts = 0;
};

// A server of one file whose connections break after some bytes.
class Download : public ::testing::Test {
 protected:
  Result<Downloaded> get(std::size_t bytes_max = 1'000'000) {
    Request asked = request(server_.url("/file"));
    asked.limits.bytes_max = bytes_max;
    return download(*client_, asked, target_, {.attempts_max = 6},
                    {.clock = system_clock(), .pause = time_, .random = [] { return 0.0; }});
  }
  void serve(const SeenRequest& request, Answer& answer) {
    const std::string range = request.header("range");
    const bool is_same = request.header("if-range") == tag_;
    const std::size_t from = range.empty() || !is_same || ignores_ranges_ ? 0 : std::stoul(range.substr(6));
    std::string head = from > 0 ? "HTTP/1.1 206 Part\r\n" : "HTTP/1.1 200 OK\r\n";
    if (from > 0)
      head += "Content-Range: bytes " + std::to_string(from + shift_) + "-" +
              std::to_string(file_.size() - 1) + "/" + std::to_string(file_.size()) + "\r\n";
    if (!tag_.empty()) head += "ETag: " + tag_ + "\r\n";
    answer.send(head + "Content-Length: " + std::to_string(file_.size() - from) + "\r\n\r\n");
    const bool breaks = breaks_left_-- > 0;
    answer.send(file_.substr(from, breaks ? 1'000 : std::string::npos));
    if (changes_) {
      file_ = std::string(3'000, 'n');
      tag_ = "\"new\"";
      changes_ = false;
    }
    if (breaks) answer.close();
  }

  std::string file_ = [] {
    std::string out;
    for (int i = 0; out.size() < 5'000; ++i) out += std::to_string(i) + ",";
    return out;
  }();
  std::string tag_ = "\"old\"";
  int breaks_left_ = 0;
  std::size_t shift_ = 0;
  bool ignores_ranges_ = false;
  bool changes_ = false;
  FakeTime time_;
  Target target_;
  std::unique_ptr<Client> client_ = loopback_client();
  HttpFixture server_{[this](const SeenRequest& request, Answer& answer) { serve(request, answer); }};
};

TEST_F(Download, IsWhole) {
  const Downloaded done = get().value();
  EXPECT_EQ(target_.text, file_);
  EXPECT_EQ(done.bytes, file_.size());
  EXPECT_EQ(done.resumed, 0U);
  EXPECT_EQ(done.head.status, 200);
}

TEST_F(Download, GoesOnWhereTheConnectionBroke) {
  breaks_left_ = 3;
  const Downloaded done = get().value();
  EXPECT_EQ(target_.text, file_);
  EXPECT_EQ(done.resumed, 3U);
  EXPECT_EQ(target_.restarts, 0);
  EXPECT_EQ(server_.seen().at(3).header("range"), "bytes=3000-");
  EXPECT_EQ(server_.seen().at(3).header("if-range"), "\"old\"");
}

TEST_F(Download, BeginsAnewWhereTheFileIsAnother) {
  breaks_left_ = 1;
  changes_ = true;
  EXPECT_TRUE(get().ok());
  EXPECT_EQ(target_.text, std::string(3'000, 'n'));
  EXPECT_EQ(target_.restarts, 1);
}

TEST_F(Download, BeginsAnewWhereNothingProvesTheSame) {
  breaks_left_ = 2;
  tag_ = "W/\"weak\"";
  EXPECT_EQ(get().value().resumed, 0U);
  EXPECT_EQ(target_.text, file_);
  EXPECT_EQ(server_.seen().at(1).header("range"), "");
}

TEST_F(Download, BeginsAnewWhereRangesAreNotKnown) {
  breaks_left_ = 1;
  ignores_ranges_ = true;
  EXPECT_TRUE(get().ok());
  EXPECT_EQ(target_.text, file_);
}

TEST_F(Download, DoesNotTakeAPartThatWasNotAskedFor) {
  breaks_left_ = 1;
  shift_ = 10;
  EXPECT_EQ(code_of(get()), "answer_broken");
}

TEST_F(Download, IsBoundedInAll) {
  breaks_left_ = 4;
  EXPECT_EQ(code_of(get(4'500)), "answer_too_large");
  EXPECT_LE(target_.text.size(), 4'500U);
}

}  // namespace
}  // namespace sluice::fetch::testing
