#include "sluice/protocol/revision.h"

#include <gmock/gmock.h>

namespace sluice::protocol {
namespace {

TEST(Revision, KnowsFiveByTheirDates) {
  for (const std::string_view text : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}) {
    const std::optional<Revision> revision = parse_revision(text);
    ASSERT_TRUE(revision.has_value()) << text;
    EXPECT_EQ(to_string(*revision), text);
    EXPECT_EQ(is_modern(*revision), text == "2026-07-28");
  }
}

TEST(Revision, RefusesEverythingElse) {
  for (const std::string_view text : {"", "2026", "2026-07-29", "v999.0.0", "2025-11-25 ", "2025-11-25\n"})
    EXPECT_FALSE(parse_revision(text).has_value()) << text;
}

}  // namespace
}  // namespace sluice::protocol
