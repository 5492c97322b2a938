// Codes that clients compare with. They are repeated here as numbers, so that changing one is a decision.
#include <gmock/gmock.h>

#include "sluice/json/reader.h"
#include "sluice/protocol/wire/legacy.h"
#include "sluice/protocol/wire/modern.h"

namespace sluice::protocol {
namespace {

TEST(Pins, ErrorsOfTheModernEra) {
  EXPECT_EQ(modern::header_mismatch("x").code, -32020);
  EXPECT_EQ(modern::header_mismatch("x").http_status, 400);
  EXPECT_EQ(modern::missing_capability("{}").code, -32021);
  EXPECT_EQ(modern::missing_capability("{}").http_status, 400);
  EXPECT_EQ(modern::unsupported_version("x").code, -32022);
  EXPECT_EQ(modern::unsupported_version("x").http_status, 400);
  EXPECT_EQ(modern::method_not_found("x").code, -32601);
  EXPECT_EQ(modern::method_not_found("x").http_status, 404);
  EXPECT_EQ(modern::to_wire(not_found("x")).code, -32602);
  EXPECT_EQ(modern::to_wire(invalid_input("x")).code, -32602);
  EXPECT_EQ(modern::to_wire(internal_error("x")).code, -32603);
  EXPECT_EQ(modern::to_wire(unsupported("x")).code, -32603);
  EXPECT_EQ(modern::to_wire(unsupported("x")).http_status, 200);
  EXPECT_EQ(modern::to_wire(limit_reached("x", 1)).code, -32603);
  EXPECT_EQ(modern::to_wire(limit_reached("x", 1)).http_status, 200);
  EXPECT_EQ(modern::to_wire(limit_reached("x", 1).with_code("too_busy")).http_status, 503);
}

TEST(Pins, ErrorsOfTheLegacyEra) {
  EXPECT_EQ(legacy::to_wire(not_found("x")).code, -32002);
  EXPECT_EQ(legacy::to_wire(invalid_input("x")).code, -32602);
  EXPECT_EQ(legacy::to_wire(internal_error("x")).code, -32603);
  EXPECT_EQ(legacy::to_wire(unsupported("x")).code, -32603);
  EXPECT_EQ(legacy::to_wire(limit_reached("x", 1)).code, -32603);
  EXPECT_EQ(legacy::method_not_found("x").code, -32601);
  EXPECT_EQ(legacy::method_not_found("x").http_status, 200);
}

TEST(Pins, UnsupportedVersionNamesWhatIsSupported) {
  const json::Value data = json::read(modern::unsupported_version("v9").data).value();
  EXPECT_EQ(
      json::to_text(data),
      R"({"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"v9"})");
}

TEST(Pins, ErrorDataCarriesCodeAndHint) {
  const WireError wire = modern::to_wire(
      invalid_input("x").with_code("bad_thing").with_hint("Do this.").with_data(R"({"uri":"a:b"})"));
  EXPECT_EQ(wire.data, R"({"uri":"a:b","code":"bad_thing","hint":"Do this."})");
  for (const Error& error : {unsupported("x").with_code("bad_thing").with_hint("Do this."),
                             limit_reached("x", 1).with_code("bad_thing").with_hint("Do this.")}) {
    EXPECT_EQ(modern::to_wire(error).data, R"({"code":"bad_thing","hint":"Do this."})");
    EXPECT_EQ(legacy::to_wire(error).data, R"({"code":"bad_thing","hint":"Do this."})");
  }
}

}  // namespace
}  // namespace sluice::protocol
