#include "endings.h"

#include <algorithm>
#include <utility>

#include "sluice/base/assert.h"

#include "utf8.h"

namespace sluice::text {
namespace {

constexpr std::string_view kNoEnding = "-";
constexpr std::string_view kMarks = "?!~+";
constexpr std::size_t kClearLettersMin = 3;

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t space = std::min(list.find(' '), list.size());
    if (space > 0) parts.push_back(list.substr(0, space));
    list.remove_prefix(std::min(space + 1, list.size()));
  }
  return parts;
}

}  // namespace

std::string combine_forms(std::string_view bases, std::string_view endings) {
  std::string forms;
  for (const std::string_view base : split(bases)) {
    for (std::string_view ending : split(endings)) {
      if (kMarks.find(ending[0]) != std::string_view::npos)
        ending.remove_prefix(1);  // No doubt behind a base.
      forms.append(base);
      if (ending != kNoEnding) forms.append(ending);
      forms.push_back(' ');
    }
  }
  return forms;
}

Endings::Endings(std::vector<Paradigm> paradigms) : paradigms_(std::move(paradigms)), nodes_(1) {
  SLUICE_ASSERT(paradigms_.size() <= kParadigmsMax, "each paradigm has a bit of its own in a ParadigmSet");
  for (std::size_t i = 0; i < paradigms_.size(); ++i) {
    const ParadigmSet bit = ParadigmSet{1} << i;
    bool first = true;
    for (std::string_view form : split(paradigms_[i].forms)) {
      const char mark = kMarks.find(form[0]) == std::string_view::npos ? '\0' : form[0];
      const bool doubtful = mark == '?' || mark == '!' || mark == '~';
      if (mark != '\0') form.remove_prefix(1);
      Ending& ending = ending_of(form == kNoEnding ? std::string_view() : form);
      (mark == '~' ? ending.ambiguous : doubtful ? ending.doubtful : ending.clear) |= bit;
      if (mark != '!' && mark != '~') ending.restores |= bit;
      if (mark == '+' || (!doubtful && letters(form) >= kClearLettersMin)) ending.restores_clearly |= bit;
      if (std::exchange(first, false)) ending.citation |= bit;
    }
  }
}

Ending& Endings::ending_of(std::string_view text) {
  std::uint32_t at = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    const auto found = std::find_if(nodes_[at].next.begin(), nodes_[at].next.end(),
                                    [&](const auto& edge) { return edge.first == text[i]; });
    if (found != nodes_[at].next.end()) {
      at = found->second;
      continue;
    }
    const auto made = static_cast<std::uint32_t>(nodes_.size());
    nodes_[at].next.emplace_back(text[i], made);
    nodes_.emplace_back();
    at = made;
  }
  if (nodes_[at].ending < 0) {
    nodes_[at].ending = static_cast<std::int32_t>(endings_.size());
    endings_.emplace_back();
  }
  return endings_[static_cast<std::size_t>(nodes_[at].ending)];
}

std::string_view Endings::citation_ending(std::size_t paradigm) const {
  const std::string_view forms = paradigms_[paradigm].forms;
  const std::string_view first = forms.substr(0, std::min(forms.find(' '), forms.size()));
  return first == kNoEnding ? std::string_view() : first;
}

}  // namespace sluice::text
