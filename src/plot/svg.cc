#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "sluice/plot/draw.h"

namespace sluice::plot {

namespace {

// At most two digits behind the point: a hundredth of a pixel is more than anybody sees.
std::string pixels(double value) {
  const double hundredths = std::round(value * 100);
  if (hundredths == 0) return "0";
  std::string out = fmt::format("{:.2f}", hundredths / 100);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

class SvgWriter {
 public:
  explicit SvgWriter(const DisplayList& list) : list_(list) {}

  std::string write() {
    out_ = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" font-family="DejaVu Sans, Verdana, sans-serif">)",
        list_.width, list_.height);
    element("title", list_.title);
    element("desc", list_.description);
    out_ += fmt::format(R"(<rect width="{}" height="{}" fill="{}"/>)", list_.width, list_.height,
                        hex_text(list_.background));
    for (const Shape& shape : list_.shapes) {
      std::visit([&](const auto& form) { begin(form); }, shape.form);
      if (shape.mark) attributes_of(*shape.mark);
      std::visit([&](const auto& form) { end(form, shape.mark); }, shape.form);
    }
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  void escaped(std::string_view text) {
    for (const char c : text) {
      switch (c) {
        case '&':
          out_ += "&amp;";
          break;
        case '<':
          out_ += "&lt;";
          break;
        case '>':
          out_ += "&gt;";
          break;
        case '"':
          out_ += "&quot;";
          break;
        default:
          out_ += c;
      }
    }
  }
  void element(std::string_view name, std::string_view text) {
    out_ += fmt::format("<{}>", name);
    escaped(text);
    out_ += fmt::format("</{}>", name);
  }
  void attribute(std::string_view name, std::string_view value) {
    out_ += fmt::format(" {}=\"", name);
    escaped(value);
    out_ += '"';
  }
  void number(std::string_view name, double value) { attribute(name, pixels(value)); }

  void attributes_of(const MarkLabel& mark) {
    attribute("data-x", mark.x);
    attribute("data-y", mark.y);
    if (!mark.series.empty()) attribute("data-series", mark.series);
  }
  void close(std::string_view name, const std::optional<MarkLabel>& mark) {
    if (!mark) {
      out_ += "/>";
      return;
    }
    out_ += '>';
    const std::string series = mark->series.empty() ? "" : mark->series + ", ";
    element("title", series + mark->x + ": " + mark->y);
    out_ += fmt::format("</{}>", name);
  }

  void begin(const RectShape& rect) {
    out_ += "<rect";
    number("x", rect.x);
    number("y", rect.y);
    number("width", rect.width);
    number("height", rect.height);
    attribute("fill", hex_text(rect.fill));
  }
  void end(const RectShape& /*rect*/, const std::optional<MarkLabel>& mark) { close("rect", mark); }

  void begin(const LineShape& line) {
    out_ += "<line";
    number("x1", line.from.x);
    number("y1", line.from.y);
    number("x2", line.to.x);
    number("y2", line.to.y);
    attribute("stroke", hex_text(line.stroke));
    if (line.width != 1) number("stroke-width", line.width);
  }
  void end(const LineShape& /*line*/, const std::optional<MarkLabel>& mark) { close("line", mark); }

  void begin(const PathShape& path) {
    out_ += "<path d=\"";
    bool is_first = true;
    for (const PathShape::Step& step : path.steps) {
      out_ += step.is_move || is_first ? 'M' : 'L';
      out_ += pixels(step.to.x) + " " + pixels(step.to.y);
      is_first = false;
    }
    if (path.is_closed) out_ += 'Z';
    out_ += '"';
    attribute("fill", path.fill ? hex_text(*path.fill) : "none");
    if (path.fill && path.fill_opacity != 1) number("fill-opacity", path.fill_opacity);
    if (!path.stroke) return;
    attribute("stroke", hex_text(*path.stroke));
    number("stroke-width", path.width);
    attribute("stroke-linejoin", "round");
    if (path.dashes.empty()) return;
    std::string dashes;
    for (const double dash : path.dashes) dashes += (dashes.empty() ? "" : " ") + pixels(dash);
    attribute("stroke-dasharray", dashes);
  }
  void end(const PathShape& /*path*/, const std::optional<MarkLabel>& mark) { close("path", mark); }

  void begin(const CircleShape& circle) {
    out_ += "<circle";
    number("cx", circle.center.x);
    number("cy", circle.center.y);
    number("r", circle.radius);
    attribute("fill", hex_text(circle.fill));
  }
  void end(const CircleShape& /*circle*/, const std::optional<MarkLabel>& mark) { close("circle", mark); }

  void begin(const TextShape& text) {
    out_ += "<text";
    number("x", text.at.x);
    number("y", text.at.y);
    number("font-size", text.size);
    attribute("fill", hex_text(text.fill));
    if (text.anchor != Anchor::kStart)
      attribute("text-anchor", text.anchor == Anchor::kMiddle ? "middle" : "end");
    if (text.turn != 0) {
      attribute("transform",
                fmt::format("rotate({} {} {})", pixels(text.turn), pixels(text.at.x), pixels(text.at.y)));
    }
  }
  void end(const TextShape& text, const std::optional<MarkLabel>& /*mark*/) {
    out_ += '>';
    escaped(text.text);
    out_ += "</text>";
  }

  const DisplayList& list_;
  std::string out_;
};

}  // namespace

std::string to_svg(const DisplayList& list) { return SvgWriter(list).write(); }

}  // namespace sluice::plot
