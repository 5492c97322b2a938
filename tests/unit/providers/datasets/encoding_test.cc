#include <sys/resource.h>

#include <filesystem>

#include "sluice/base/base64.h"

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const query::Collection> collection_in(const std::string& encoding) {
  auto out = std::make_shared<query::Collection>(*plain_collection());
  out->encoding = encoding;
  return out;
}

std::size_t copies_in(const DataServer& server) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.spool_folder()))
    count += entry.path().extension() == ".txt" ? 1U : 0U;
  return count;
}

struct Case {
  std::string charset;
  std::string content;  // In base64.
  std::string cell;

  std::string bytes() const { return base64_decode(content).value(); }
};

TEST(Encodings, AreReadAsTheConfigurationSays) {
  for (const Case& one : {
           Case{"windows-1251",
                "bmFtZQrM6O3o8fLl8PHy4u4g7uHw4Ofu4uDt6P8g6CDt4PPq6Ao=", "Министерство образования и науки"},
           Case{"windows-1252", "bmFtZQqTcXVvdGVklCCWIGZh52FkZSCANQo=", "“quoted” – façade €5"},
           Case{"Shift_JIS", "bmFtZQqTjIuek3OCzJBsjPuTnYx2Cg==", "東京都の人口統計"},
           Case{"GB18030", "bmFtZQqxsb6pytDIy7/azbO8xsr9vt0K", "北京市人口统计数据"},
           Case{"UTF-16BE", "AG4AYQBtAGUACgU1BYAFhwVhBXYAINg93gAACg==", "Երևան 😀"},
           Case{"ARMSCII-8", "bmFtZQrQs9uz6++z3aogz/HD4fXD2+H13Qo=", "Հայաստան՝ կրթություն"},
       }) {
    TestFolder folder;
    folder.write("t.csv", one.bytes());
    DataServer server(folder.path(), collection_in(one.charset));
    EXPECT_EQ(WireMessage(server.call("query_data", R"({"dataset":"t"})")).text({"data", 0, "name"}),
              one.cell)
        << one.charset;
    const WireMessage schema(server.call("get_schema", R"({"dataset":"t"})"));
    EXPECT_EQ(schema.text({"encoding"}), one.charset);
    EXPECT_EQ(schema.text({"encoding_known_by"}), "configuration");
    EXPECT_EQ(WireMessage(server.call("describe_dataset", R"({"dataset":"t"})")).text({"encoding"}),
              one.charset);
  }
}

TEST(Encodings, AreToldByTheBytesWhereTheseAreClear) {
  for (const Case& one : {
           Case{"windows-1251",
                "bmFtZQrM6O3o8fLl8PHy4u4g7uHw4Ofu4uDt6P8g6CDt4PPq6CDz8uLl8OTo6+4g4f7k5uXyIO3gIPHr5eTz/"
                "vno6SDj7uQKzOjt6PHy5fDx8uLuIO7h8ODn7uLg7ej/IOgg7eDz6ugg8/Li5fDk6OvuIOH+5Obl8iDt4CDx6+Xk8/"
                "756Okg4+7kCszo7ejx8uXw8fLi7iDu4fDg5+7i4O3o/yDoIO3g8+roIPPy4uXw5Ojr7iDh/"
                "uTm5fIg7eAg8evl5PP++ejpIOPu5ArM6O3o8fLl8PHy4u4g7uHw4Ofu4uDt6P8g6CDt4PPq6CDz8uLl8OTo6+"
                "4g4f7k5uXyIO3gIPHr5eTz/vno6SDj7uQKzOjt6PHy5fDx8uLuIO7h8ODn7uLg7ej/IOgg7eDz6ugg8/"
                "Li5fDk6OvuIOH+5Obl8iDt4CDx6+Xk8/756Okg4+7kCszo7ejx8uXw8fLi7iDu4fDg5+7i4O3o/"
                "yDoIO3g8+roIPPy4uXw5Ojr7iDh/"
                "uTm5fIg7eAg8evl5PP++ejpIOPu5ArM6O3o8fLl8PHy4u4g7uHw4Ofu4uDt6P8g6CDt4PPq6CDz8uLl8OTo6+"
                "4g4f7k5uXyIO3gIPHr5eTz/vno6SDj7uQKzOjt6PHy5fDx8uLuIO7h8ODn7uLg7ej/IOgg7eDz6ugg8/"
                "Li5fDk6OvuIOH+5Obl8iDt4CDx6+Xk8/756Okg4+7kCg==",
                "Министерство образования и науки утвердило бюджет на следующий год"},
           Case{"ISO-8859-1",
                "bmFtZQpMZSBtaW5pc3TocmUgYSBhcHByb3V26SBsZSBidWRnZXQgZGUgbCdhbm7pZSBwcm9jaGFpbmUKTGUgbWluaXN0"
                "6HJlIGEgYXBwcm91dukgbGUgYnVkZ2V0IGRlIGwnYW5u6WUgcHJvY2hhaW5lCkxlIG1pbmlzdOhyZSBhIGFwcHJvdXbp"
                "IGxlIGJ1ZGdldCBkZSBsJ2FubullIHByb2NoYWluZQpMZSBtaW5pc3TocmUgYSBhcHByb3V26SBsZSBidWRnZXQgZGUg"
                "bCdhbm7pZSBwcm9jaGFpbmUKTGUgbWluaXN06HJlIGEgYXBwcm91dukgbGUgYnVkZ2V0IGRlIGwnYW5u6WUgcHJvY2hh"
                "aW5lCkxlIG1pbmlzdOhyZSBhIGFwcHJvdXbpIGxlIGJ1ZGdldCBkZSBsJ2FubullIHByb2NoYWluZQpMZSBtaW5pc3To"
                "cmUgYSBhcHByb3V26SBsZSBidWRnZXQgZGUgbCdhbm7pZSBwcm9jaGFpbmUKTGUgbWluaXN06HJlIGEgYXBwcm91dukg"
                "bGUgYnVkZ2V0IGRlIGwnYW5u6WUgcHJvY2hhaW5lCg==",
                "Le ministère a approuvé le budget de l'année prochaine"},
           Case{"windows-1252",
                "bmFtZQpEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJlbApEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIg"
                "NSCAIGb8ciBN9mJlbApEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJlbApEaWUgU3RyYd9lIIRHcvxu"
                "kyCWIPxiZXIgNSCAIGb8ciBN9mJlbApEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJlbApEaWUgU3Ry"
                "Yd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJlbApEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJl"
                "bApEaWUgU3RyYd9lIIRHcvxukyCWIPxiZXIgNSCAIGb8ciBN9mJlbAo=",
                "Die Straße „Grün“ – über 5 € für Möbel"},
           Case{"ISO-8859-7",
                "bmFtZQrV8O/18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88grV8O/"
                "18ePl3+8g0OHp5OXf4fIg6uHpIMjx5/Pq5fXs3PT57SDw8e/78O/r7+Pp8+z88go=",
                "Υπουργείο Παιδείας και Θρησκευμάτων προϋπολογισμός"},
           Case{
               "Shift_JIS",
               "bmFtZQqTjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCz"
               "ZGdgqaCxIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6o"
               "LNk52MdoLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgq"
               "TjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCzZGdgqaC"
               "xIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6oLNk52Md"
               "oLMjpGXv4LFgreBQgqTjIuek3OCzJBsjPuCzZGdgqaCxIKigtyCt4FCgrGC6oLNk52MdoLMjpGXv4LFgreBQgo=",
               "東京都の人口は増えています。これは統計の資料です。"},
           Case{"GB18030",
                "bmFtZQqxsb6pytDIy7/azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/"
                "azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/"
                "azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/"
                "azbO8xsr9vt26zcnPuqPK0Aqxsb6pytDIy7/azbO8xsr9vt26zcnPuqPK0Ao=",
                "北京市人口统计数据和上海市"},
           Case{"EUC-KR",
                "bmFtZQq8rb/vxq+6sL3DIMDOsbggxeuw6Aq8rb/vxq+6sL3DIMDOsbggxeuw6Aq8rb/"
                "vxq+6sL3DIMDOsbggxeuw6Aq8rb/vxq+6sL3DIMDOsbggxeuw6Aq8rb/vxq+6sL3DIMDOsbggxeuw6Aq8rb/"
                "vxq+6sL3DIMDOsbggxeuw6Aq8rb/vxq+6sL3DIMDOsbggxeuw6Aq8rb/vxq+6sL3DIMDOsbggxeuw6Ao=",
                "서울특별시 인구 통계"},
       }) {
    TestFolder folder;
    folder.write("t.csv", one.bytes());
    DataServer server(folder.path(), plain_collection());
    EXPECT_EQ(WireMessage(server.call("query_data", R"({"dataset":"t"})")).text({"data", 3, "name"}),
              one.cell)
        << one.charset;
    const WireMessage schema(server.call("get_schema", R"({"dataset":"t"})"));
    EXPECT_EQ(schema.text({"encoding"}), one.charset);
    EXPECT_EQ(schema.text({"encoding_known_by"}), "content");
  }
}

// A guess would be wrong characters that nobody notices.
TEST(Encodings, ThatAreAGuessAreRefusedWithWhatToDo) {
  for (const Case& one : {
           Case{"short Cyrillic", "aWQsbmFtZQoxLMji4O0KMizPuPLwCg==", ""},
           Case{"Polish, which statistics take for Chinese",
                "bmF6d2EKTWluaXN0ZXJzdHdvIEVkdWthY2ppIHphdHdpZXJkemmzbyBidWS/"
                "ZXQgbmEgbmFzdOpwbnkgcm9rCk1pbmlzdGVyc3R3byBFZHVrYWNqaSB6YXR3aWVyZHpps28gYnVkv2V0IG5hIG5hc3Tq"
                "cG55IHJvawpNaW5pc3RlcnN0d28gRWR1a2FjamkgemF0d2llcmR6abNvIGJ1ZL9ldCBuYSBuYXN06nBueSByb2sK",
                ""},
           Case{"short Japanese", "bmFtZQqTjIuek3MKkeWN45V7Cg==", ""},
           Case{"Armenian in ARMSCII-8",
                "bmFtZQq2x++zz7PdIKIgt8fvs++7y93Hz7PPs90g0bvvs73h7+H1w9vh9d3du/"
                "EKtsfvs8+z3SCiILfH77Pvu8vdx8+zz7PdING777O94e/"
                "h9cPb4fXd3bvxCrbH77PPs90goiC3x++z77vL3cfPs8+z3SDRu++zveHv4fXD2+H13d278Qq2x++zz7PdIKIgt8fvs++"
                "7y93Hz7PPs90g0bvvs73h7+H1w9vh9d3du/EKtsfvs8+z3SCiILfH77Pvu8vdx8+zz7PdING777O94e/"
                "h9cPb4fXd3bvxCg==",
                ""},
           Case{"noise", "YSxiCoGNjyyQnQr//SzAwQo=", ""},
       }) {
    TestFolder folder;
    folder.write("t.csv", one.bytes());
    DataServer server(folder.path(), plain_collection());
    const Outcome refused = outcome(server, "query_data", R"({"dataset":"t"})");
    EXPECT_EQ(refused.code, "unsupported_encoding") << one.charset << refused.text;
    EXPECT_THAT(refused.text, HasSubstr("`encoding`")) << one.charset;
  }
}

TEST(Encodings, AByteOrderMarkIsStrongerThanTheConfiguration) {
  TestFolder folder;
  folder.write("t.csv", "\xEF\xBB\xBFname\nԵրևան\n");
  DataServer server(folder.path(), collection_in("windows-1251"));
  EXPECT_EQ(WireMessage(server.call("query_data", R"({"dataset":"t"})")).text({"data", 0, "name"}), "Երևան");
}

TEST(Encodings, ACopyIsMadeOnceAndGoesWithItsFile) {
  TestFolder folder;
  folder.write("t.csv", "name\n\xcf\xf0\xe8\xe2\xe5\xf2\n");
  DataServer server(folder.path(), collection_in("windows-1251"));
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(server.text("query_data", R"({"dataset":"t"})"), HasSubstr("Привет"));
  EXPECT_EQ(copies_in(server), 1U);
  folder.write("t.csv", "name\n\xcc\xe8\xf0 \xe8 \xf2\xf0\xf3\xe4\n");
  server.rescan();
  EXPECT_THAT(server.text("query_data", R"({"dataset":"t"})"), HasSubstr("Мир и труд"));
  EXPECT_EQ(copies_in(server), 1U);
}

TEST(Encodings, CopiesAreBounded) {
  TestFolder folder;
  std::string large = "name\n";
  for (int i = 0; i < 2'000; ++i) large += "\xcf\xf0\xe8\xe2\xe5\xf2 " + std::to_string(i) + "\n";
  folder.write("large.csv", large);
  for (int i = 0; i < 4; ++i)
    folder.write("small" + std::to_string(i) + ".csv", large.substr(0, 12'000) + "\n");
  DataServerOptions options;
  options.copies_bytes_max = 30'000;
  DataServer server(folder.path(), collection_in("windows-1251"), options);
  EXPECT_EQ(outcome(server, "query_data", R"({"dataset":"large"})").code, "unsupported_encoding");
  EXPECT_EQ(copies_in(server), 0U);
  for (int i = 0; i < 4; ++i) {
    const std::string dataset = R"({"dataset":"small)" + std::to_string(i) + R"(","limit":1})";
    EXPECT_THAT(server.text("query_data", dataset), HasSubstr("Привет 0"));
  }
  EXPECT_EQ(copies_in(server), 1U);
}

// Each copy holds an open file: there are fewer than a process may have.
TEST(Encodings, CopiesLeaveFilesForOthers) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 200, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  TestFolder folder;
  for (int i = 0; i < 40; ++i)
    folder.write("t" + std::to_string(i) + ".csv", "name\n\xcf\xf0\xe8\xe2\xe5\xf2\n");
  {
    DataServer server(folder.path(), collection_in("windows-1251"));
    for (int i = 0; i < 40; ++i) {
      const std::string dataset = R"({"dataset":"t)" + std::to_string(i) + R"("})";
      EXPECT_THAT(server.text("query_data", dataset), HasSubstr("Привет"));
    }
    EXPECT_EQ(copies_in(server), 25U);
  }
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(Encodings, ACopyThatWasDamagedIsMadeAgain) {
  TestFolder folder;
  folder.write("t.csv", "name\n\xcf\xf0\xe8\xe2\xe5\xf2\n");
  DataServer server(folder.path(), collection_in("windows-1251"));
  EXPECT_THAT(server.text("query_data", R"({"dataset":"t"})"), HasSubstr("Привет"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(server.spool_folder()))
    if (entry.path().extension() == ".txt") std::filesystem::resize_file(entry.path(), 3);
  EXPECT_THAT(server.text("query_data", R"({"dataset":"t","limit":7})"), HasSubstr("Привет"));
  EXPECT_EQ(copies_in(server), 1U);
}

TEST(Encodings, OfACompressedFileCannotBeChanged) {
  TestFolder folder;
  folder.write("t.csv.gz", "not gzip");
  DataServer server(folder.path(), collection_in("windows-1251"));
  EXPECT_EQ(outcome(server, "query_data", R"({"dataset":"t"})").code, "unsupported_encoding");
}

}  // namespace
}  // namespace sluice::datasets::testing
