#pragma once

#include <type_traits>

#include "sluice/base/result.h"

// The functions of Pango, cairo, fontconfig and GObject that raster.cc uses, found when they are first
// needed: a program that draws no picture neither needs the libraries nor pays for loading them. Their
// interfaces are stable, so that they are declared here instead of taken from headers.
namespace sluice::plot::cairo {

struct Surface;
struct Context;
struct FontMap;
struct PangoContext;
struct Layout;
struct Font;
struct FontOptions;

using WriteFunction = int (*)(void* closure, const unsigned char* data, unsigned int length);

struct Library {
#define SLUICE_PICTURE_FUNCTION(library, symbol, name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "raster/functions.inc"
#undef SLUICE_PICTURE_FUNCTION
};

// Loads the libraries with the first call. They stay loaded. Any thread.
Result<const Library*> library();

}  // namespace sluice::plot::cairo
