#include "sluice/contents/contents.h"

#include <string>
#include <variant>

#include <gmock/gmock.h>

namespace sluice::contents {
namespace {

std::string text_of(const protocol::ResourceContents& contents) {
  const auto* body = std::get_if<protocol::TextBody>(&contents.body);
  return body == nullptr ? "no text" : body->text;
}

// A source whose reads fail.
class Broken final : public ByteSource {
 public:
  explicit Broken(Error error) : error_(std::move(error)) {}
  std::uint64_t bytes() const override { return 1; }
  Result<std::string> read_at(std::uint64_t, std::size_t) const override { return error_; }

 private:
  Error error_;
};

TEST(Contents, OfMemoryAreCutAndReadOn) {
  const std::string bytes = std::string(kContentBytesMax, 'a') + "rest";
  const MemorySource source(bytes);
  const auto first = read_contents(source, {.name = "a.txt", .uri = "x://a"}).value();
  EXPECT_THAT(text_of(first), ::testing::EndsWith("a\n\n[Content truncated...]"));
  EXPECT_EQ(json::to_text(first.meta), R"({"sluice/size":102404,"sluice/next":"x://a?offset=102400"})");
  const auto second =
      read_contents(source, {.name = "a.txt", .uri = "x://a", .range = {.offset = 102'400U}}).value();
  EXPECT_EQ(text_of(second), "rest");
  EXPECT_TRUE(second.meta.empty());
}

TEST(Contents, HaveTheTypeThatTheSourceSays) {
  const auto said = read_contents(MemorySource("{}"),
                                  {.name = "a.bin", .uri = "x://a", .range = {}, .type = "application/json"})
                        .value();
  EXPECT_EQ(said.mime_type, "application/json");
  EXPECT_EQ(text_of(said), "{}");
}

TEST(Contents, BeyondTheEndAreEmpty) {
  const auto none =
      read_contents(MemorySource("abc"), {.name = "a.txt", .uri = "x://a", .range = {.offset = 9U}}).value();
  EXPECT_EQ(text_of(none), "");
}

TEST(Contents, OfOurOwnTextAreCutAtACharacter) {
  const auto whole = text_contents("x://a", "text/plain", "short");
  EXPECT_EQ(text_of(whole), "short");
  EXPECT_TRUE(whole.meta.empty());
  const auto cut = text_contents("x://a", "text/plain", std::string(kContentBytesMax - 1, 'a') + "€€");
  EXPECT_EQ(text_of(cut), std::string(kContentBytesMax - 1, 'a') + "\n\n[Content truncated...]");
  EXPECT_EQ(json::to_text(cut.meta), R"({"sluice/size":102405})");
}

TEST(Contents, FailWithoutSayingWhereOrWhy) {
  const auto failure = [](Error error) {
    return read_contents(Broken(std::move(error)), {.name = "a", .uri = "x://a"}).error();
  };
  for (const Error& hidden : {not_found("/etc"), forbidden("/etc"), invalid_input("/etc")})
    EXPECT_EQ(failure(hidden).code, "resource_not_found");
  EXPECT_EQ(failure(internal_error("/etc")).message, "Failed to read resource: x://a");
  EXPECT_EQ(failure(cancelled()).kind, ErrorKind::kCancelled);
  EXPECT_EQ(failure(deadline_exceeded()).kind, ErrorKind::kDeadline);
}

}  // namespace
}  // namespace sluice::contents
