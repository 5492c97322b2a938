#include "sluice/contents/media_type.h"

#include <string>

#include <gtest/gtest.h>

#include "character_boundary.h"

namespace sluice::contents {
namespace {

TEST(MediaType, IsToldByTheEnding) {
  EXPECT_EQ(type_of_name("README.md"), "text/markdown");
  EXPECT_EQ(type_of_name("photo.JPG"), "image/jpeg");
  EXPECT_EQ(type_of_name("a.b.json"), "application/json");
  EXPECT_EQ(type_of_name("data.zst"), "application/zstd");
  EXPECT_EQ(type_of_name("archive.7z"), "application/x-7z-compressed");
  for (const char* name : {"", "Makefile", "a.", "a.unknown", "json"})
    EXPECT_FALSE(type_of_name(name).has_value()) << name;
}

TEST(MediaType, OfContentMayEndWithinACharacter) {
  std::string text(kSniffBytes - 1, 'x');
  text += "€";
  EXPECT_EQ(type_of_content(text), "text/plain");
  EXPECT_EQ(type_of_content(text.substr(0, kSniffBytes)), "text/plain");
  EXPECT_EQ(type_of_content("\xe2\x82"), "application/octet-stream");
}

TEST(MediaType, OfStructuredTextIsText) {
  for (const char* type : {"text/x-anything", "image/svg+xml", "application/ld+json", "application/yaml"})
    EXPECT_TRUE(is_text_type(type)) << type;
  for (const char* type : {"image/png", "application/zip", "application/octet-stream"})
    EXPECT_FALSE(is_text_type(type)) << type;
}

TEST(CharacterStart, LooksBackToTheFirstByte) {
  const std::string text = "a😀";
  for (std::size_t at = 1; at < text.size(); ++at) EXPECT_EQ(character_start(text, at, "UTF-8", 0), 1U);
  EXPECT_EQ(character_start(text, text.size(), "UTF-8", 0), text.size());
  EXPECT_EQ(character_start("\x80\x80\x80\x80\x80", 4, "UTF-8", 0), 4U);  // No character at all.
}

TEST(CharacterStart, KeepsPairsOfSurrogatesTogether) {
  const std::string pair("a\0\x3d\xd8\x00\xde", 6);
  EXPECT_EQ(character_start(pair, 3, "UTF-16LE", 0), 2U);
  EXPECT_EQ(character_start(pair, 4, "UTF-16LE", 0), 2U);
  EXPECT_EQ(character_start(pair, 5, "UTF-16LE", 0), 2U);
  EXPECT_EQ(character_start(pair.substr(1), 3, "UTF-16LE", 1),
            1U);  // Units stand at even places of the file.
  EXPECT_EQ(character_start(pair, 3, "windows-1251", 0), 3U);
}

}  // namespace
}  // namespace sluice::contents
