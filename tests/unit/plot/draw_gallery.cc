// Writes the pictures of the gallery as NAME.svg, and as NAME.png too if the second argument is "png".
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "sluice/plot/draw.h"

#include "gallery.h"

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: draw_gallery FOLDER [png]\n", stderr);
    return 2;
  }
  const std::string folder = arguments[1];
  const bool has_png = count > 2 && std::string_view(arguments[2]) == "png";
  for (const sluice::plot::testing::GalleryPicture& picture : sluice::plot::testing::gallery()) {
    const sluice::plot::DisplayList list = sluice::plot::draw(picture.chart);
    std::ofstream(folder + "/" + picture.name + ".svg") << sluice::plot::to_svg(list);
    if (!has_png) continue;
    const auto png = sluice::plot::to_png(list, 1);
    if (!png.ok()) {
      std::fprintf(stderr, "%s\n", png.error().message.c_str());
      return 1;
    }
    std::ofstream(folder + "/" + picture.name + ".png") << png->bytes;
  }
  return 0;
}
