#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>

#include "sluice/plot/draw.h"

#include "gallery.h"

namespace sluice::plot::testing {
namespace {

// build/…/tests/draw_gallery tests/unit/plot/golden writes them.
std::string expected(const std::string& name) {
  std::ifstream in(std::string(PLOT_GOLDEN) + "/" + name + ".svg", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PlotGolden, DrawsTheSamePictureByteForByte) {
  std::set<std::string> names;
  for (const GalleryPicture& picture : gallery()) {
    EXPECT_TRUE(names.insert(picture.name).second) << picture.name;
    const std::string svg = to_svg(draw(picture.chart));
    EXPECT_EQ(svg, to_svg(draw(picture.chart))) << picture.name;
    EXPECT_TRUE(svg == expected(picture.name)) << picture.name << ".svg differs";
  }
  EXPECT_GE(names.size(), 40U);
}

TEST(PlotGolden, DrawsEveryPictureAsPng) {
  for (const GalleryPicture& picture : gallery()) {
    const Result<Png> png = to_png(draw(picture.chart), 1);
    ASSERT_TRUE(png.ok()) << png.error().message;
    EXPECT_TRUE(png->bytes.starts_with("\x89PNG\r\n\x1a\n")) << picture.name;
    EXPECT_GT(png->bytes.size(), 2'000U) << picture.name;
    EXPECT_LT(png->bytes.size(), 256'000U) << picture.name;
    EXPECT_EQ(png->bytes, to_png(draw(picture.chart), 1)->bytes) << picture.name;
  }
}

}  // namespace
}  // namespace sluice::plot::testing
