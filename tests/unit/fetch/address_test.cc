// `ssrf`: which addresses may be connected to, by their value.

#include "sluice/fetch/address.h"

#include <string>

#include <gmock/gmock.h>

namespace sluice::fetch {
namespace {

struct Case {
  const char* address;
  AddressKind kind;
  bool is_reachable_if_private;
};

class SsrfAddress : public ::testing::TestWithParam<Case> {};

TEST_P(SsrfAddress, IsRefusedUnlessItIsPublic) {
  const std::optional<Address> address = Address::parse(GetParam().address);
  ASSERT_TRUE(address) << GetParam().address;
  EXPECT_EQ(to_string(classify(*address)), to_string(GetParam().kind)) << GetParam().address;
  EXPECT_EQ(may_connect(*address, false), GetParam().kind == AddressKind::kPublic) << GetParam().address;
  EXPECT_EQ(may_connect(*address, true), GetParam().is_reachable_if_private) << GetParam().address;
}

INSTANTIATE_TEST_SUITE_P(
    V4, SsrfAddress,
    ::testing::Values(
        Case{"127.0.0.1", AddressKind::kLoopback, true},
        Case{"127.255.255.254", AddressKind::kLoopback, true}, Case{"10.0.0.1", AddressKind::kPrivate, true},
        Case{"172.16.0.1", AddressKind::kPrivate, true}, Case{"172.31.255.255", AddressKind::kPrivate, true},
        Case{"172.32.0.1", AddressKind::kPublic, true}, Case{"192.168.1.1", AddressKind::kPrivate, true},
        Case{"192.169.0.1", AddressKind::kPublic, true},
        Case{"100.64.0.1", AddressKind::kSharedNetwork, true},
        Case{"100.127.255.255", AddressKind::kSharedNetwork, true},
        Case{"100.128.0.1", AddressKind::kPublic, true}, Case{"169.254.0.1", AddressKind::kLinkLocal, false},
        Case{"169.254.169.254", AddressKind::kMetadata, false},
        Case{"169.254.170.2", AddressKind::kMetadata, false},
        Case{"100.100.100.200", AddressKind::kMetadata, false},
        Case{"0.0.0.0", AddressKind::kUnspecified, false}, Case{"0.1.2.3", AddressKind::kUnspecified, false},
        Case{"224.0.0.1", AddressKind::kMulticast, false},
        Case{"239.255.255.255", AddressKind::kMulticast, false},
        Case{"240.0.0.1", AddressKind::kReserved, false},
        Case{"255.255.255.255", AddressKind::kBroadcast, false},
        Case{"192.0.0.1", AddressKind::kReserved, false},
        Case{"192.0.2.1", AddressKind::kDocumentation, false},
        Case{"198.51.100.1", AddressKind::kDocumentation, false},
        Case{"203.0.113.1", AddressKind::kDocumentation, false},
        Case{"198.18.0.1", AddressKind::kBenchmark, false},
        Case{"198.19.255.255", AddressKind::kBenchmark, false},
        Case{"192.88.99.1", AddressKind::kTranslated, false}, Case{"8.8.8.8", AddressKind::kPublic, true},
        Case{"93.184.216.34", AddressKind::kPublic, true}));

INSTANTIATE_TEST_SUITE_P(
    V6, SsrfAddress,
    ::testing::Values(
        Case{"::", AddressKind::kUnspecified, false}, Case{"::1", AddressKind::kLoopback, true},
        Case{"::ffff:127.0.0.1", AddressKind::kMapped, true},
        Case{"::ffff:7f00:1", AddressKind::kMapped, true},
        Case{"::ffff:169.254.169.254", AddressKind::kMapped, false},
        Case{"::ffff:8.8.8.8", AddressKind::kMapped, true},
        Case{"::ffff:0:127.0.0.1", AddressKind::kTranslated, false},
        Case{"::127.0.0.1", AddressKind::kTranslated, false},
        Case{"64:ff9b::127.0.0.1", AddressKind::kTranslated, false},
        Case{"64:ff9b::a9fe:a9fe", AddressKind::kTranslated, false},
        Case{"64:ff9b:1::10.0.0.1", AddressKind::kTranslated, false},
        Case{"64:ff9b:1:ffff::1", AddressKind::kTranslated, false},
        Case{"2002:7f00:1::1", AddressKind::kTranslated, false},
        Case{"2002:a9fe:a9fe::", AddressKind::kTranslated, false},
        Case{"2001::1", AddressKind::kTranslated, false},
        Case{"2001:0:4136:e378:8000:63bf:3fff:fdd2", AddressKind::kTranslated, false},
        Case{"2001:2::1", AddressKind::kBenchmark, false}, Case{"2001:10::1", AddressKind::kReserved, false},
        Case{"2001:db8::1", AddressKind::kDocumentation, false},
        Case{"3fff::1", AddressKind::kDocumentation, false}, Case{"fc00::1", AddressKind::kPrivate, true},
        Case{"fd00::1", AddressKind::kPrivate, true}, Case{"fd00:ec2::254", AddressKind::kMetadata, false},
        Case{"fe80::1", AddressKind::kLinkLocal, false}, Case{"febf::1", AddressKind::kLinkLocal, false},
        Case{"fec0::1", AddressKind::kLinkLocal, false}, Case{"ff02::1", AddressKind::kMulticast, false},
        Case{"100::1", AddressKind::kReserved, false}, Case{"5f00::1", AddressKind::kReserved, false},
        Case{"4000::1", AddressKind::kReserved, false},
        Case{"2606:4700:4700::1111", AddressKind::kPublic, true},
        Case{"2a00:1450:4001::1", AddressKind::kPublic, true}));

TEST(SsrfAddressText, OnlyTheFormOfTheBookIsRead) {
  for (const char* text : {"127.1", "127.0.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1",
                           "017700000001", "127.0.0.01", "127.0.0.1.", "127.0.0.1 ", " 127.0.0.1",
                           "fe80::1%eth0", "[::1]", "::1%1", "1.2.3.4.5", "256.0.0.1", "", "localhost"})
    EXPECT_FALSE(Address::parse(text)) << text;
}

}  // namespace
}  // namespace sluice::fetch
