#include <memory>
#include <numbers>
#include <string_view>

#include "sluice/base/mutex.h"
#include "sluice/plot/draw.h"

#include "raster/cairo_library.h"

namespace sluice::plot {

namespace {

using cairo::Library;

// Values of cairo's and Pango's enumerations.
constexpr int kFormatRgb24 = 1;
constexpr int kAntialiasGray = 2;
constexpr int kHintStyleNone = 1;
constexpr int kHintMetricsOff = 1;
constexpr int kLineJoinRound = 1;
constexpr int kLeftToRight = 0;
constexpr double kPangoScale = 1024;

struct Unref {
  const Library* library;
  void operator()(void* object) const { library->object_unref(object); }
};
template <typename T>
using Object = std::unique_ptr<T, Unref>;

// The fonts that are known, and how their glyphs look. Kept from one picture to the next, because reading the
// fonts takes longer than drawing. One thread at a time.
class FontBook {
 public:
  explicit FontBook(const Library& library)
      : library_(library),
        map_(library.font_map_new(), Unref{&library}),
        context_(library.font_map_create_context(map_.get()), Unref{&library}) {
    cairo::FontOptions* options = library.font_options_create();
    library.font_options_set_antialias(options, kAntialiasGray);
    library.font_options_set_hint_style(options, kHintStyleNone);
    library.font_options_set_hint_metrics(options, kHintMetricsOff);
    library.context_set_font_options(context_.get(), options);
    library.context_set_base_dir(context_.get(), kLeftToRight);
    library.font_options_destroy(options);
  }

  Object<cairo::Layout> layout(const TextShape& text) const {
    Object<cairo::Layout> out(library_.layout_new(context_.get()), Unref{&library_});
    library_.layout_set_auto_dir(out.get(), 0);
    library_.layout_set_single_paragraph_mode(out.get(), 1);
    library_.layout_set_text(out.get(), text.text.data(), static_cast<int>(text.text.size()));
    cairo::Font* font = library_.font_new();
    library_.font_set_family_static(font, "DejaVu Sans");
    library_.font_set_absolute_size(font, text.size * kPangoScale);
    library_.layout_set_font_description(out.get(), font);
    library_.font_free(font);
    return out;
  }

 private:
  const Library& library_;
  const Object<cairo::FontMap> map_;
  const Object<cairo::PangoContext> context_;
};

// Pango's font maps are used by one thread at a time, so pictures are drawn one after the other.
Mutex drawing_mutex;
std::unique_ptr<FontBook> font_book SLUICE_GUARDED_BY(drawing_mutex);

class Painter {
 public:
  Painter(const Library& library, const FontBook& fonts, cairo::Context* context)
      : library_(library), fonts_(fonts), context_(context) {}

  void paint(const DisplayList& list) {
    set_color(list.background, 1);
    library_.rectangle(context_, 0, 0, list.width, list.height);
    library_.fill(context_);
    library_.set_line_join(context_, kLineJoinRound);
    for (const Shape& shape : list.shapes) std::visit([&](const auto& form) { paint(form); }, shape.form);
  }
  std::size_t unknown_characters() const { return unknown_; }

 private:
  void set_color(Color color, double opacity) {
    library_.set_source_rgba(context_, color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
  }

  void paint(const RectShape& rect) {
    set_color(rect.fill, 1);
    library_.rectangle(context_, rect.x, rect.y, rect.width, rect.height);
    library_.fill(context_);
  }
  void paint(const LineShape& line) {
    set_color(line.stroke, 1);
    library_.set_dash(context_, nullptr, 0, 0);
    library_.set_line_width(context_, line.width);
    library_.move_to(context_, line.from.x, line.from.y);
    library_.line_to(context_, line.to.x, line.to.y);
    library_.stroke(context_);
  }
  void paint(const PathShape& path) {
    library_.new_path(context_);
    bool is_first = true;
    for (const PathShape::Step& step : path.steps) {
      (step.is_move || is_first ? library_.move_to : library_.line_to)(context_, step.to.x, step.to.y);
      is_first = false;
    }
    if (path.is_closed) library_.close_path(context_);
    if (path.fill) {
      set_color(*path.fill, path.fill_opacity);
      library_.fill_preserve(context_);
    }
    if (path.stroke) {
      set_color(*path.stroke, 1);
      library_.set_line_width(context_, path.width);
      library_.set_dash(context_, path.dashes.data(), static_cast<int>(path.dashes.size()), 0);
      library_.stroke(context_);
    }
    library_.new_path(context_);
  }
  void paint(const CircleShape& circle) {
    set_color(circle.fill, 1);
    library_.new_path(context_);
    library_.arc(context_, circle.center.x, circle.center.y, circle.radius, 0, 2 * std::numbers::pi);
    library_.fill(context_);
  }
  void paint(const TextShape& text) {
    if (text.text.empty()) return;
    const Object<cairo::Layout> layout = fonts_.layout(text);
    unknown_ += static_cast<std::size_t>(library_.layout_get_unknown_glyphs_count(layout.get()));
    int width = 0;
    int height = 0;
    library_.layout_get_size(layout.get(), &width, &height);
    const double share = text.anchor == Anchor::kStart ? 0 : text.anchor == Anchor::kMiddle ? 0.5 : 1;
    set_color(text.fill, 1);
    library_.save(context_);
    library_.translate(context_, text.at.x, text.at.y);
    if (text.turn != 0) library_.rotate(context_, text.turn * std::numbers::pi / 180);
    library_.move_to(context_, -share * width / kPangoScale,
                     -library_.layout_get_baseline(layout.get()) / kPangoScale);
    library_.show_layout(context_, layout.get());
    library_.restore(context_);
    library_.new_path(context_);
  }

  const Library& library_;
  const FontBook& fonts_;
  cairo::Context* context_;
  std::size_t unknown_ = 0;
};

int append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return 0;
}

}  // namespace

Result<Png> to_png(const DisplayList& list, double scale) {
  SLUICE_TRY(const Library* library, cairo::library());
  const MutexLock lock(drawing_mutex);
  if (!font_book) font_book = std::make_unique<FontBook>(*library);
  const int width = std::max(1, static_cast<int>(list.width * scale));
  const int height = std::max(1, static_cast<int>(list.height * scale));
  const std::unique_ptr<cairo::Surface, void (*)(cairo::Surface*)> surface(
      library->image_surface_create(kFormatRgb24, width, height), library->surface_destroy);
  if (library->surface_status(surface.get()) != 0) return internal_error("a picture cannot be allocated");
  const std::unique_ptr<cairo::Context, void (*)(cairo::Context*)> context(library->create(surface.get()),
                                                                           library->destroy);
  library->scale(context.get(), scale, scale);
  Painter painter(*library, *font_book, context.get());
  painter.paint(list);
  if (library->status(context.get()) != 0) return internal_error("a picture cannot be drawn");
  Png out{.bytes = {}, .unknown_characters = painter.unknown_characters()};
  if (library->surface_write_to_png_stream(surface.get(), append, &out.bytes) != 0)
    return internal_error("a picture cannot be written as PNG");
  return out;
}

Status check_png() {
  SLUICE_TRY([[maybe_unused]] const Library* library, cairo::library());
  return {};
}

Status add_fonts(const std::string& folder) {
  SLUICE_TRY(const Library* library, cairo::library());
  const MutexLock lock(drawing_mutex);
  font_book.reset();  // It knows the fonts that there were.
  if (library->add_font_folder(nullptr, reinterpret_cast<const unsigned char*>(folder.c_str())) == 0)
    return invalid_input("the fonts of a folder cannot be read: " + folder);
  return {};
}

}  // namespace sluice::plot
