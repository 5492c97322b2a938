#include "axis_scale.h"

#include <algorithm>
#include <cmath>

#include "sluice/plot/label.h"
#include "sluice/plot/number_text.h"

namespace sluice::plot {

namespace {

Range log_domain(const Range& marks) {
  const double low = marks.low > 0 ? marks.low : marks.high > 0 ? marks.high / 10 : 1;
  const double high = std::max(marks.high, low);
  const Range out{std::pow(10, std::floor(std::log10(low) + 1e-9)),
                  std::pow(10, std::ceil(std::log10(high) - 1e-9))};
  return out.high > out.low ? out : Range{out.low, out.low * 10};
}

Range number_domain(const Axis& axis, Range marks, const AxisScale::Use& use) {
  if (use.is_zero_based) marks = {std::min(marks.low, 0.0), std::max(marks.high, 0.0)};
  if (use.is_zero_based && marks.low == marks.high) return {0, 1};
  if (use.is_tight && marks.high > marks.low) return marks;
  return nice_range(marks, axis.is_whole);
}

Range time_domain(const Range& marks) {
  constexpr double kHalfADay = 43'200e6;
  return marks.high > marks.low ? marks : Range{marks.low - kHalfADay, marks.high + kHalfADay};
}

}  // namespace

AxisScale::AxisScale(const Axis& axis, const Range& marks, const Use& use) {
  is_log_ = axis.type == AxisType::kNumber && axis.scale == Scale::kLog;
  switch (axis.type) {
    case AxisType::kCategory: {
      domain_ = {-0.5, static_cast<double>(axis.categories.size()) - 0.5};
      for (std::size_t i = 0; i < axis.categories.size(); ++i)
        ticks_.push_back({.at = static_cast<double>(i), .label = label_of(axis.categories[i])});
      return;
    }
    case AxisType::kTime:
      domain_ = axis.range ? *axis.range : time_domain(marks);
      ticks_ = time_ticks(domain_, use.time_ticks_max);
      return;
    case AxisType::kNumber:
      if (axis.range && (!is_log_ || axis.range->low > 0)) {
        domain_ = *axis.range;
      } else {
        domain_ = is_log_ ? log_domain(marks) : number_domain(axis, marks, use);
      }
      ticks_ = is_log_ ? log_ticks(domain_) : linear_ticks(domain_, axis.is_whole);
      return;
  }
}

void AxisScale::place(double begin, double end) {
  begin_ = begin;
  end_ = end;
}

double AxisScale::pixel(double value) const {
  const double share = is_log_ ? (std::log10(value) - std::log10(domain_.low)) /
                                     (std::log10(domain_.high) - std::log10(domain_.low))
                               : (value - domain_.low) / (domain_.high - domain_.low);
  return begin_ + share * (end_ - begin_);
}

double AxisScale::clamped_pixel(double value) const {
  return pixel(std::clamp(value, domain_.low, domain_.high));
}

double AxisScale::base() const { return is_log_ ? begin_ : clamped_pixel(0); }

double AxisScale::band() const { return std::abs(end_ - begin_) / (domain_.high - domain_.low); }

std::string value_text(const Axis& axis, double value) {
  switch (axis.type) {
    case AxisType::kNumber:
      return exact_number(value);
    case AxisType::kTime:
      return time_text(value, axis.is_whole);
    case AxisType::kCategory:
      break;
  }
  const auto index = static_cast<std::size_t>(std::lround(value));
  return index < axis.categories.size() ? label_of(axis.categories[index]) : "";
}

}  // namespace sluice::plot
