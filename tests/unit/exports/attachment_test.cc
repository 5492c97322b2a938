#include "http/attachment.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

TEST(Attachment, NamesTheFileInAsciiAndInUtf8) {
  EXPECT_EQ(attachment("sales 2024", "csv"),
            "attachment; filename=\"sales 2024.csv\"; filename*=UTF-8''sales%202024.csv");
  EXPECT_EQ(attachment("é", "csv"), "attachment; filename=\"__.csv\"; filename*=UTF-8''%C3%A9.csv");
  EXPECT_EQ(attachment("", "json"), "attachment; filename=\"result.json\"; filename*=UTF-8''result.json");
}

TEST(Attachment, LetsNoNameOutOfItsPlace) {
  for (const std::string name : {"a\r\nX: y", "\"; x=\"", "../../a", "..\\a", ".hidden", "a/b", "C:a",
                                 "\xFF\xFE", "a\0b", "%0d%0a", "\u202Egpj.exe"}) {
    const std::string value = attachment(name, "csv");
    EXPECT_TRUE(std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; }))
        << value;
    const std::string plain = value.substr(0, value.find("; filename*="));
    EXPECT_EQ(std::count(plain.begin(), plain.end(), '"'), 2) << value;
    EXPECT_EQ(plain.find_first_of("/\\%"), std::string::npos) << value;
    EXPECT_EQ(plain.find("\"."), std::string::npos) << value;
  }
  EXPECT_LT(attachment(std::string(10'000, 'x'), "csv").size(), 400u);
}

}  // namespace
}  // namespace sluice::exports
