// Next pages, as URIs of ours.

#include <string>

#include <gmock/gmock.h>

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

// A server whose answers have one Link header, or one body.
class Paging : public ::testing::Test {
 protected:
  std::string next_by_link(const std::string& link, const std::string& uri = "api://v1/items") {
    HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
      answer.reply(200, {{"Link", link}}, "[]");
    });
    return ApiServer(api_at(fixture)).next(uri);
  }
  std::string next_by_body(const std::string& pointer, const std::string& body) {
    HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.json(body); });
    ApiSpec api = api_at(fixture);
    api.endpoints[2].next = pointer;
    return ApiServer(api).next("api://v1/items");
  }
};

TEST_F(Paging, ALinkToTheSameEndpointIsAUri) {
  EXPECT_EQ(next_by_link("</v1/items?page=2>; rel=\"next\""), "api://v1/items?page=2");
  EXPECT_EQ(next_by_link("<?page=a%20b+c>; rel=next"), "api://v1/items?page=a%20b%20c");
  EXPECT_EQ(
      next_by_link("</v1/items?page=1>; rel=prev, </v1/items?page=3>; title=\"a, b\"; rel=\"last next\""),
      "api://v1/items?page=3");
  EXPECT_EQ(next_by_link("<?page=2&key=query-secret>; rel=next"), "api://v1/items?page=2");
  EXPECT_EQ(next_by_link("<?page=3>; rel=next", "api://v1/items?page=2"), "api://v1/items?page=3");
}

TEST_F(Paging, ALinkToAnythingElseIsNotGiven) {
  EXPECT_EQ(next_by_link("</v1/other?page=2>; rel=next"), "");
  EXPECT_EQ(next_by_link("<http://other.example/v1/items?page=2>; rel=next"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=2&unknown=1>; rel=next"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=2&key=other>; rel=next"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=1&page=2>; rel=next"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=%0d%0aX>; rel=next"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=2>; rel=prev"), "");
  EXPECT_EQ(next_by_link("<?page=2>; rel=next", "api://v1/items?page=2"), "");  // Itself.
  EXPECT_EQ(next_by_link("file:///etc/passwd"), "");
  EXPECT_EQ(next_by_link("<</v1/items?page=2; rel=next"), "");
  EXPECT_EQ(next_by_link("\\\",,;;<>"), "");
  EXPECT_EQ(next_by_link("</v1/items?page=2>; rel=\""), "");
}

TEST_F(Paging, APointerIntoTheBodyLeadsThere) {
  EXPECT_EQ(next_by_body("/meta/next", R"({"meta":{"next":"?page=2"}})"), "api://v1/items?page=2");
  EXPECT_EQ(next_by_body("/links/1/a~1b~0", R"({"links":[0,{"a/b~":"/v1/items?page=9"}]})"),
            "api://v1/items?page=9");
  EXPECT_EQ(next_by_body("/meta/next", R"({"meta":{"next":null}})"), "");
  EXPECT_EQ(next_by_body("/meta/next", R"({"meta":"x"})"), "");
  EXPECT_EQ(next_by_body("/meta/next", R"({"meta":{"next":"http://169.254.169.254/v1/items?page=2"}})"), "");
  EXPECT_EQ(next_by_body("/9", R"([1])"), "");
}

TEST_F(Paging, TheRestOfAPageComesBeforeTheNextPage) {
  HttpFixture fixture([&](const SeenRequest& request, Answer& answer) {
    const bool is_first = request.target.find("page=") == std::string::npos;
    answer.reply(200, {{"Link", is_first ? "<?page=2>; rel=next" : ""}, {"Content-Type", "text/plain"}},
                 std::string(is_first ? 110'000 : 10, is_first ? 'a' : 'b'));
  });
  ApiServer server(api_at(fixture));
  EXPECT_EQ(server.next("api://v1/items"), "api://v1/items?offset=102400");
  EXPECT_EQ(server.next("api://v1/items?offset=102400"), "api://v1/items?page=2");
  EXPECT_EQ(server.text("api://v1/items?page=2"), "bbbbbbbbbb");
}

}  // namespace
}  // namespace sluice::apis::testing
