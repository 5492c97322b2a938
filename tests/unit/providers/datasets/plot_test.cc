#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Plot : public ::testing::Test {
 protected:
  Plot() {
    folder.write("sales.csv",
                 "city,day,amount,size\nRome,2024-01-01,10,1\nOslo,2024-01-02,20.5,2\nRome,2024-01-03,,3\n"
                 "Bern,2024-01-04,NaN,4\nPisa,2024-01-05,inf,5\n");
  }
  std::string plot(std::string_view sql, std::string_view more = "") {
    return server().text("plot", "{\"sql\":" + in_json(sql) + std::string(more) + "}");
  }
  std::string plot_code(std::string_view sql, std::string_view more = "") {
    return server().code("plot", "{\"sql\":" + in_json(sql) + std::string(more) + "}");
  }
  LeanServer& server() {
    if (!server_) server_ = std::make_unique<LeanServer>(folder, options);
    return *server_;
  }

  TestFolder folder;
  DataServerOptions options;

 private:
  std::unique_ptr<LeanServer> server_;
};

TEST_F(Plot, AnswersWithTheNumbersAndAPictureAndNoStructuredContent) {
  const WireMessage answer = server().server().client().call_tool(
      "plot",
      R"({"sql":"SELECT city, count(*) AS n FROM sales GROUP BY 1 ORDER BY 2 DESC, 1","title":"Sales"})");
  EXPECT_EQ(answer.text({"result", "content", 0, "text"}),
            "# bar: n by city, 4 bars from 4 rows\ncity,n\nRome,2\nBern,1\nOslo,1\nPisa,1\n");
  EXPECT_EQ(answer.text({"result", "content", 1, "type"}), "image");
  EXPECT_EQ(answer.text({"result", "content", 1, "mimeType"}), "image/png");
  EXPECT_THAT(answer.text({"result", "content", 1, "data"}), StartsWith("iVBORw0KGgo"));
  EXPECT_FALSE(answer.has({"result", "structuredContent"}));
  EXPECT_EQ(answer.text({"result", "_meta", "sluice/plot", "kind"}), "bar");
  EXPECT_EQ(answer.text({"result", "_meta", "sluice/plot", "title"}), "Sales");
}

TEST_F(Plot, GivesSvgAsAResourceAndNeverAsAnImage) {
  const WireMessage answer = server().server().client().call_tool(
      "plot", R"({"sql":"SELECT city, size FROM sales WHERE size < 3","format":"svg"})");
  EXPECT_EQ(answer.text({"result", "content", 1, "type"}), "resource");
  EXPECT_EQ(answer.text({"result", "content", 1, "resource", "mimeType"}), "image/svg+xml");
  const std::string svg = answer.text({"result", "content", 1, "resource", "text"});
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr(R"(data-x="Oslo" data-y="2")"));
  EXPECT_FALSE(answer.has({"result", "content", 2}));
}

TEST_F(Plot, ChoosesTheKindByTheTypesOfTheColumns) {
  const std::string none = R"(,"format":"none")";
  EXPECT_THAT(plot("SELECT day, size FROM sales", none),
              StartsWith("# line: size by day, 5 points from 5 rows\n"));
  EXPECT_THAT(plot("SELECT city, size FROM sales WHERE size < 3", none), StartsWith("# bar: "));
  EXPECT_THAT(plot("SELECT size, size * size AS area FROM sales", none), StartsWith("# line: "));
  EXPECT_THAT(plot("SELECT size, size * size AS area FROM sales ORDER BY 1 DESC", none),
              StartsWith("# point: "));
  EXPECT_THAT(plot("SELECT size FROM sales", none),
              StartsWith("# histogram: rows by size, 5 bins from 5 rows\n"));
}

TEST_F(Plot, CountsWhatCannotBeDrawn) {
  const std::string text = plot("SELECT day, amount FROM sales", R"(,"format":"none")");
  EXPECT_THAT(text,
              HasSubstr("2 points from 5 rows; 1 row without a value; 2 rows with an infinite value or none "
                        "that is a number left out\n"));
  EXPECT_THAT(text, HasSubstr("day,amount\n2024-01-01,10\n2024-01-02,20.5\n"));
}

TEST_F(Plot, RefusesToAddUpUnasked) {
  EXPECT_EQ(plot_code("SELECT city, amount FROM sales"), "not_plottable");
  EXPECT_THAT(plot("SELECT city, amount FROM sales"),
              HasSubstr("SELECT city, sum(amount) AS amount … GROUP BY city, or avg, min, max."));
}

TEST_F(Plot, SaysWhyThereIsNoPicture) {
  EXPECT_EQ(plot("SELECT city, size FROM sales WHERE size > 9"), "# 0 rows; nothing to draw\n");
  EXPECT_EQ(plot_code("SELECT city FROM sales"), "not_plottable");
  EXPECT_THAT(plot("SELECT city FROM sales"), HasSubstr("SELECT city, count(*) AS n"));
  EXPECT_EQ(plot_code("SELECT city, amount FROM sales WHERE amount IS NULL"), "not_plottable");
  EXPECT_EQ(plot_code("SELECT size, city FROM sales", R"(,"y":"city")"), "not_plottable");
  EXPECT_EQ(plot_code("SELECT size, city FROM sales", R"(,"x":"sise")"), "invalid_column");
  EXPECT_THAT(plot("SELECT size, city FROM sales", R"(,"x":"sise")"), HasSubstr("Did you mean size?"));
  EXPECT_EQ(plot_code("SELECT nothing FROM sales"), "invalid_column");
  EXPECT_EQ(plot_code("DROP TABLE sales"), "invalid_sql");
}

TEST_F(Plot, KeepsItsTextShort) {
  std::string csv = "name,value\n";
  for (int i = 0; i < 2'000; ++i)
    csv += "a rather long name of a category that says a lot number " + std::to_string(i) + "," +
           std::to_string(i * 1.37) + "\n";
  folder.write("many.csv", csv);
  const std::string text = plot("SELECT * FROM many", R"(,"format":"none")");
  EXPECT_LE(text.size(), 1'100U);
  EXPECT_THAT(text, HasSubstr("60 bars from 2,000 rows; the first 60 of 2,000 values of name are drawn\n"));
}

TEST_F(Plot, MakesNoMarkupOfNamesAndCells) {
  folder.write("bad.csv", "\"<script>\",n\n</text><script>alert(1)</script>,1\n\"a\u202eb\",2\n");
  const std::string svg =
      server()
          .server()
          .client()
          .call_tool("plot", R"({"sql":"SELECT * FROM bad","format":"svg","title":"</title><script>"})")
          .text({"result", "content", 1, "resource", "text"});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("\u202e")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
}

TEST_F(Plot, DrawsSmallerWhatHasTooManyBytes) {
  options.limits.plot_bytes = 4'000;
  const std::string text = plot("SELECT day, size FROM sales");
  EXPECT_THAT(text, HasSubstr("of its size, to fit 4000 bytes\n"));
}

TEST_F(Plot, TakesResultsDatasetsAndLooksInTheLongForm) {
  options.profile = ToolProfile::kAll;
  DataServer all(folder.path(), plain_collection(), options);
  EXPECT_THAT(all.text("plot", R"({"dataset":"sales","x":"city","y":"size","fn":"sum","format":"none"})"),
              StartsWith("# bar: sum of size by city, 4 bars from 5 rows"));
  EXPECT_THAT(
      all.text(
          "plot",
          R"({"dataset":"sales","filters":[{"col":"city","op":"eq","value":"Rome"}],"x":"day","y":"size","format":"none"})"),
      StartsWith("# line: size by day, 2 points from 2 rows"));
  EXPECT_EQ(all.code("plot", R"({"x":"city"})"), "invalid_arguments");
  EXPECT_EQ(all.code("plot", R"({"sql":"SELECT 1","dataset":"sales"})"), "invalid_arguments");
  EXPECT_EQ(all.code("plot", R"({"result_handle":"nothing"})"), "unknown_handle");
  EXPECT_THAT(
      all.text("plot",
               R"({"sql":"SELECT size, amount FROM sales","width":9000,"format":"none","kind":"point"})"),
      HasSubstr("width is 1568, because it must be 320 to 1568"));
}

}  // namespace
}  // namespace sluice::datasets::testing
