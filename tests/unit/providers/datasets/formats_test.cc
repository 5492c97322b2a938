#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

namespace stdfs = std::filesystem;

std::string bytes_of(const stdfs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// What every client asks first. The code of the first refusal, or "" where everything was answered.
std::string first_refusal(DataServer& server, const std::string& name) {
  for (const auto& [tool, more] : {std::pair{"get_schema", ""}, std::pair{"query_data", R"(,"limit":3)"},
                                   std::pair{"aggregate", R"(,"aggs":[{"fn":"count"}])"},
                                   std::pair{"query_data", R"(,"output_format":"parquet")"}}) {
    const Outcome one = about(server, tool, name, more);
    EXPECT_NE(one.code, "spool_failed") << one.text;  // It is the file's fault.
    if (!one.ok()) return one.code;
  }
  return "";
}

// An engine that met something broken must still answer.
void expect_alive(DataServer& server, const std::string& after) {
  const Outcome one = about(server, "aggregate", "good", R"(,"aggs":[{"col":"id","fn":"sum"}])");
  ASSERT_TRUE(one.ok()) << after << ": " << one.text;
  ASSERT_EQ(one.answer().text({"data", 0, "id_sum"}), "6") << after;
}

constexpr const char* kGood = "id,city\n1,Yerevan\n2,Gyumri\n3,Vanadzor\n";

std::vector<std::string> names_of(DataServer& server) {
  std::vector<std::string> names;
  const query::Inventory inventory = server.registry.inventory();
  for (const query::DatasetPtr& dataset : inventory.datasets()) names.push_back(dataset->name());
  return names;
}

// The codes of all datasets, and how many have each.
std::map<std::string, std::vector<std::string>> refusals(DataServer& server) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& name : names_of(server)) {
    out[first_refusal(server, name)].push_back(name);
    if (name != "good") expect_alive(server, name);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return out;
}

void print_refusals(std::string_view title, const std::map<std::string, std::vector<std::string>>& codes) {
  std::cout << title << ":";
  for (const auto& [code, names] : codes) {
    std::cout << ' ' << (code.empty() ? "served" : code) << '=' << names.size();
    if (code.empty()) continue;
    for (const std::string& name : names) std::cout << ' ' << name;
    std::cout << ';';
  }
  std::cout << '\n';
}

TEST(Formats, EveryFileOfTheParquetTestSetIsServedOrRefusedWithACode) {
  TestFolder folder;
  folder.write("good.csv", kGood);
  for (const auto& entry : stdfs::directory_iterator(test_data("parquet-testing/data")))
    stdfs::copy_file(entry.path(), stdfs::path(folder.path()) / entry.path().filename());
  DataServer server(folder.path(), plain_collection());
  const auto codes = refusals(server);
  print_refusals("parquet-testing", codes);
  EXPECT_GE(codes.at("").size(), 55U);
}

// Cut short and altered files: whatever the engine makes of them, it stays and says what is wrong.
TEST(Formats, BrokenParquetIsAnAnswerOrAnErrorWithACode) {
  constexpr int kVariants = 20;
  constexpr int kBytesFlipped = 4;
  TestFolder folder;
  folder.write("good.csv", kGood);
  std::mt19937 random(20240229);
  for (const char* name : {"alltypes_plain", "nested_structs.rust", "datapage_v2.snappy", "list_columns",
                           "byte_stream_split.zstd", "delta_byte_array"}) {
    const std::string whole = bytes_of(test_data("parquet-testing/data/" + std::string(name) + ".parquet"));
    ASSERT_GT(whole.size(), 100U) << name;
    const auto write = [&](const std::string& variant, const std::string& bytes) {
      folder.write(std::string(name) + "-" + variant + ".parquet", bytes);
    };
    write("half", whole.substr(0, whole.size() / 2));
    write("no-end", whole.substr(0, whole.size() - 8));
    for (int variant = 0; variant < kVariants; ++variant) {
      std::string altered = whole;
      for (int i = 0; i < kBytesFlipped; ++i) {
        // Every other variant is altered in its metadata, which ends the file.
        const std::size_t span = variant % 2 == 0 ? whole.size() : std::min<std::size_t>(whole.size(), 600);
        const std::size_t at = whole.size() - 1 - random() % span;
        altered[at] = static_cast<char>(altered[at] ^ static_cast<char>(1U << (random() % 8)));
      }
      write(std::to_string(variant), altered);
    }
  }
  DataServer server(folder.path(), plain_collection());
  const auto codes = refusals(server);
  std::cout << "broken parquet:";
  for (const auto& [code, names] : codes)
    std::cout << ' ' << (code.empty() ? "served" : code) << '=' << names.size();
  std::cout << '\n';
}

// The metadata of many columns alone is larger than the page.
TEST(ArrowPages, AreNoLargerThanAPage) {
  TestFolder folder;
  std::string names;
  std::string row;
  for (int i = 0; i < 200; ++i) {
    names += (i > 0 ? ",c" : "c") + std::to_string(i);
    row += i > 0 ? ",1" : "1";
  }
  folder.write("wide.csv", names + "\n" + row + "\n" + row + "\n");
  DataServerOptions options;
  options.arrow_ipc = true;
  options.limits.usual.bytes = 6'000;
  DataServer server(folder.path(), plain_collection(), options);
  const WireMessage answer(server.call("query_data", R"({"dataset":"wide","output_format":"arrow"})"));
  EXPECT_TRUE(answer.text({"resource_uri"}).ends_with("/file?format=arrow"));
  const std::string uri = "data://handle/" + answer.text({"result_handle"}) + "/0?format=arrow";
  const WireMessage page = server.client().call("resources/read", R"({"uri":")" + uri + R"("})");
  EXPECT_EQ(page.text({"error", "data", "code"}), "oversize_result") << page.error();
}

}  // namespace
}  // namespace sluice::datasets::testing
