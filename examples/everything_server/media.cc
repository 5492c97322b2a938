#include "sluice/base/base64.h"

#include "everything.h"

namespace everything {

// One red pixel.
std::string red_pixel_png() {
  return *sluice::base64_decode(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==");
}

// A WAV file without samples: mono, 8 kHz, 8 bits.
std::string silent_wav() {
  return *sluice::base64_decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=");
}

}  // namespace everything
