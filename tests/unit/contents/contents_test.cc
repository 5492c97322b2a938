#include "sluice/contents/contents.h"

#include <string>
#include <variant>

#include <gmock/gmock.h>

#include "sluice/contents/read_room.h"

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

// The text that is put together from all ranges that follow one another within `room`.
std::string walk(const ByteSource& source, std::size_t room) {
  std::string joined;
  Range range;
  for (int pages = 0; pages < 1'000; ++pages) {
    const auto page =
        read_contents(source, {.name = "a.txt", .uri = "x://a", .range = range, .type = {}, .room = room})
            .value();
    std::string text = text_of(page);
    EXPECT_LE(json_string_bytes(text), room);
    const json::Value* next = page.meta.find("sluice/next");
    if (next == nullptr) return joined + text;
    EXPECT_THAT(text, ::testing::EndsWith("\n\n[Content truncated...]"));
    joined += text.substr(0, text.rfind("\n\n["));
    range.offset = std::stoull(next->if_string()->substr(std::string("x://a?offset=").size()));
  }
  return "does not end";
}

TEST(Contents, EndWithinTheRoomAndNameWhatFollows) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\"a\tb\x01é€😀\n";
  std::string utf16 = "\xFF\xFE";
  for (int i = 0; i < 2'000; ++i) utf16 += std::string("x\0\x3d\xd8\x00\xde", 6);
  for (const std::size_t room : {256U, 300U, 1'001U, 50'000U}) {
    EXPECT_EQ(walk(MemorySource(text), room), text) << room;
    std::string wide;
    for (int i = 0; i < 2'000; ++i) wide += "x😀";
    EXPECT_EQ(walk(MemorySource(utf16), room), wide) << room;
  }
}

TEST(Contents, OfBinaryDataNameARangeThatFitsTheRoom) {
  const std::string bytes(5'000, '\xff');
  const auto read = [&](Range range) {
    return read_contents(MemorySource(bytes),
                         {.name = "a.png", .uri = "x://a", .range = range, .type = {}, .room = 1'000});
  };
  EXPECT_EQ(read({}).error().code, "resource_too_large");
  EXPECT_EQ(read({}).error().hint, "Read it in ranges: x://a?offset=0&length=750");
  const auto part = read({.offset = 0U, .length = 750U}).value();
  EXPECT_EQ(json::to_text(part.meta), R"({"sluice/size":5000,"sluice/next":"x://a?offset=750&length=750"})");
}

TEST(Contents, OfOurOwnTextAreReadInRanges) {
  const std::string text(kContentBytesMax + 10, 'a');
  const auto first = text_contents({.uri = "x://a", .type = "text/plain", .text = text});
  EXPECT_EQ(json::to_text(first.meta), R"({"sluice/size":102410,"sluice/next":"x://a?offset=102400"})");
  const auto rest =
      text_contents({.uri = "x://a", .type = "text/plain", .text = text, .range = {.offset = 102'400U}});
  EXPECT_EQ(text_of(rest), std::string(10, 'a'));
  EXPECT_TRUE(rest.meta.empty());
  EXPECT_EQ(bytes_needed({.offset = 5U, .length = 3U}), 9U);
}

TEST(Contents, FailWithoutSayingWhereOrWhy) {
  const auto failure = [](Error error) {
    return read_contents(Broken(std::move(error)), {.name = "a", .uri = "x://a"}).error();
  };
  for (const Error& hidden : {not_found("/etc"), forbidden("/etc"), invalid_input("/etc")})
    EXPECT_EQ(failure(hidden).code, "resource_not_found");
  EXPECT_EQ(failure(internal_error("/etc")).message, "Failed to read resource: x://a");
  EXPECT_EQ(failure(internal_error("/etc")).code, "read_failed");
  EXPECT_FALSE(failure(internal_error("/etc")).hint.empty());
  const Error told = failure(unsupported("/etc").with_code("unsupported_encoding").with_hint("Convert it."));
  EXPECT_EQ(told.kind, ErrorKind::kInternal);
  EXPECT_EQ(told.message, "Failed to read resource: x://a");
  EXPECT_EQ(told.code, "unsupported_encoding");
  EXPECT_EQ(told.hint, "Convert it.");
  EXPECT_EQ(failure(cancelled()).kind, ErrorKind::kCancelled);
  EXPECT_EQ(failure(deadline_exceeded()).kind, ErrorKind::kDeadline);
}

}  // namespace
}  // namespace sluice::contents
