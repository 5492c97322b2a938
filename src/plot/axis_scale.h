#pragma once

#include <vector>

#include "sluice/plot/chart.h"
#include "sluice/plot/ticks.h"

namespace sluice::plot {

// How the values of an axis become pixels. Built in two steps, because how many pixels there are depends on
// how wide the labels are.
class AxisScale {
 public:
  // What an axis needs to know of the marks. `is_zero_based`: the axis shows zero. `is_tight`: it ends where
  // the marks end, instead of at a round number.
  struct Use {
    bool is_zero_based = false;
    bool is_tight = false;
    std::size_t time_ticks_max = 8;
  };
  AxisScale(const Axis& axis, const Range& marks, const Use& use);

  // `end` may be less than `begin`: the vertical axis grows upwards.
  void place(double begin, double end);

  const Range& domain() const { return domain_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  double begin() const { return begin_; }
  double end() const { return end_; }
  bool is_log() const { return is_log_; }

  bool shows(double value) const { return value >= domain_.low && value <= domain_.high; }
  double pixel(double value) const;
  double clamped_pixel(double value) const;
  // Where bars and areas begin: at zero, or at the end of an axis that does not show it.
  double base() const;
  double band() const;  // Pixels of one category.

 private:
  Range domain_;
  std::vector<Tick> ticks_;
  bool is_log_ = false;
  double begin_ = 0;
  double end_ = 1;
};

// A value of the axis as the title of a mark has it: exact.
std::string value_text(const Axis& axis, double value);

}  // namespace sluice::plot
