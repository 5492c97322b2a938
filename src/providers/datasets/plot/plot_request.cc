#include "plot/plot_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"

namespace sluice::datasets::plotting {

namespace {

constexpr std::array<std::pair<std::string_view, Fold>, 8> kFolds = {
    {{"none", Fold::kNone},
     {"sum", Fold::kSum},
     {"avg", Fold::kAverage},
     {"min", Fold::kMin},
     {"max", Fold::kMax},
     {"median", Fold::kMedian},
     {"count", Fold::kCount},
     {"count_distinct", Fold::kCountDistinct}}};

Error invalid_argument(std::string message, std::string_view hint) {
  return invalid_input(message).with_code("invalid_arguments").with_hint(hint);
}

Result<plot::Scale> scale_of(const json::ObjectReader& in, std::string_view key) {
  SLUICE_TRY(const std::optional<std::string> name, in.optional_string(key));
  if (!name || *name == "linear") return plot::Scale::kLinear;
  if (*name == "log") return plot::Scale::kLog;
  return invalid_argument(fmt::format("{}: {}", key, excerpt(*name)), "Use linear or log.");
}

Result<std::optional<plot::Range>> range_of(const json::ObjectReader& in, std::string_view key) {
  SLUICE_TRY(const json::Array* array, in.optional_array(key));
  if (array == nullptr) return std::optional<plot::Range>();
  std::array<double, 2> ends{};
  bool is_valid = array->size() == ends.size();
  for (std::size_t i = 0; is_valid && i < ends.size(); ++i) {
    const json::Number* end = (*array)[i].if_number();
    ends[i] = end == nullptr ? 0 : end->as_double();
    is_valid = end != nullptr && std::abs(ends[i]) <= plot::kNumberMax;
  }
  if (!is_valid || !(ends[0] < ends[1]))
    return invalid_argument(std::string(key) + ": not a range", "Pass two numbers, the smaller first.");
  return std::optional(plot::Range{ends[0], ends[1]});
}

// A size within its bounds; what is outside is drawn as large as it may be.
Result<int> size_of(const json::ObjectReader& in, std::string_view key, int usual, plot::Range bounds,
                    std::vector<std::string>& notes) {
  SLUICE_TRY(const std::optional<std::int64_t> asked, in.optional_int(key));
  if (!asked) return usual;
  const auto least = static_cast<std::int64_t>(bounds.low);
  const auto most = static_cast<std::int64_t>(bounds.high);
  const std::int64_t out = std::clamp(*asked, least, most);
  if (out != *asked)
    notes.push_back(fmt::format("{} is {}, because it must be {} to {}", key, out, least, most));
  return static_cast<int>(out);
}

Result<std::optional<std::int64_t>> bounded(const json::ObjectReader& in, std::string_view key,
                                            std::int64_t most, std::vector<std::string>& notes) {
  SLUICE_TRY(const std::optional<std::int64_t> asked, in.optional_int(key));
  if (!asked) return asked;
  const std::int64_t out = std::clamp<std::int64_t>(*asked, 1, most);
  if (out != *asked) notes.push_back(fmt::format("{} is {}, because it must be 1 to {}", key, out, most));
  return std::optional(out);
}

Status read_look(const json::ObjectReader& in, PlotRequest& out) {
  SLUICE_TRY(const std::optional<bool> stacked, in.optional_bool("stacked"));
  out.is_stacked = stacked.value_or(false);
  SLUICE_TRY(out.x_scale, scale_of(in, "x_scale"));
  SLUICE_TRY(out.y_scale, scale_of(in, "y_scale"));
  SLUICE_TRY(out.x_range, range_of(in, "x_range"));
  SLUICE_TRY(out.y_range, range_of(in, "y_range"));
  SLUICE_TRY(out.width, size_of(in, "width", out.width, {plot::kWidthMin, plot::kWidthMax}, out.notes));
  SLUICE_TRY(out.height, size_of(in, "height", out.height, {plot::kHeightMin, plot::kHeightMax}, out.notes));
  SLUICE_TRY(const std::optional<std::string> theme, in.optional_string("theme"));
  if (theme && *theme != "light" && *theme != "dark")
    return invalid_argument("theme: " + excerpt(*theme), "Use light or dark.");
  out.theme = theme == "dark" ? plot::Theme::kDark : plot::Theme::kLight;
  return {};
}

}  // namespace

std::string_view to_string(Fold fold) {
  const auto* found =
      std::find_if(kFolds.begin(), kFolds.end(), [&](const auto& entry) { return entry.second == fold; });
  return found->first;
}

Result<PlotRequest> read_plot_request(const json::Object& arguments) {
  const json::ObjectReader in(arguments, "");
  PlotRequest out;
  out.is_whole_dataset = arguments.contains("dataset");
  SLUICE_TRY(const std::optional<std::string> kind, in.optional_string("kind"));
  if (kind) {
    out.kind = plot::kind_of(*kind);
    if (!out.kind)
      return invalid_argument("kind: " + excerpt(*kind), "Use bar, line, area, point, histogram or heatmap.");
  }
  const std::array<std::pair<std::string_view, std::string*>, 4> texts = {
      {{"x", &out.x}, {"y", &out.y}, {"series", &out.series}, {"title", &out.title}}};
  for (const auto& [key, text] : texts) {
    SLUICE_TRY(std::optional<std::string> value, in.optional_string(key));
    *text = value.value_or("");
  }
  SLUICE_TRY(const std::optional<std::string> format, in.optional_string("format"));
  if (format && *format != "png" && *format != "svg" && *format != "none")
    return invalid_argument("format: " + excerpt(*format), "Use png, svg or none.");
  if (format)
    out.picture = *format == "svg" ? Picture::kSvg : *format == "none" ? Picture::kNone : Picture::kPng;
  SLUICE_TRY(const std::optional<std::string> fold, in.optional_string("fn"));
  if (fold) {
    const auto* found =
        std::find_if(kFolds.begin(), kFolds.end(), [&](const auto& entry) { return entry.first == *fold; });
    if (found == kFolds.end())
      return invalid_argument("fn: " + excerpt(*fold),
                              "Use sum, avg, min, max, median, count, count_distinct or none.");
    out.fold = found->second;
  }
  SLUICE_TRY(out.top, bounded(in, "top_n", kBarsMax, out.notes));
  SLUICE_TRY(out.bins, bounded(in, "bins", kBinsMax, out.notes));
  SLUICE_CHECK(read_look(in, out));
  return out;
}

}  // namespace sluice::datasets::plotting
