#include "word_index.h"

#include <algorithm>

namespace sluice::text {
namespace {

void add_hit(std::vector<WordIndex::Hit>& hits, WordId word, double confidence) {
  const auto known =
      std::find_if(hits.begin(), hits.end(), [&](const auto& hit) { return hit.word == word; });
  if (known == hits.end())
    hits.push_back({.word = word, .confidence = confidence});
  else
    known->confidence = std::max(known->confidence, confidence);
}

// Two letters: no stem is shorter, so a word and its stem agree in them.
std::size_t beginning_bytes(std::string_view text) {
  return !text.empty() && static_cast<unsigned char>(text[0]) >= 0x80 ? 4 : 2;
}

std::size_t beginning_slot(std::string_view text) {
  std::uint32_t hash = 0;
  for (const char c : text.substr(0, beginning_bytes(text)))
    hash = (hash + static_cast<unsigned char>(c)) * 0x9E3779B1U;
  return hash >> 20U;
}

}  // namespace

void WordIndex::note_beginning(std::string_view text) { beginnings_.set(beginning_slot(text)); }

bool WordIndex::may_begin(std::string_view word) const { return beginnings_.test(beginning_slot(word)); }

WordId WordIndex::add_exact(std::string_view word) {
  if (const auto known = ids_.find(word); known != ids_.end()) return known->second;
  const auto id = static_cast<WordId>(ids_.size());
  ids_.emplace(word, id);
  whole_[std::string(word)].push_back({.word = id, .confidence = kSameWord});
  note_beginning(word);
  return id;
}

WordId WordIndex::add_inflected(std::string_view word, Turkish turkish) {
  if (const auto known = ids_.find(word); known != ids_.end()) return known->second;
  const WordId id = add_exact(word);
  const Inflection inflection = inflect(word, turkish);
  for (const WholeForm& form : inflection.whole) {
    add_hit(whole_[form.text], id, form.confidence);
    note_beginning(form.text);
  }
  for (const Stem& stem : inflection.stems) {
    stems_[static_cast<std::size_t>(stem.language)][stem.text].push_back(
        {.word = id, .paradigms = stem.paradigms, .confidence = stem.confidence});
    note_beginning(stem.text);
  }
  return id;
}

void WordIndex::find_stems(LanguageId id, std::string_view word, std::vector<Hit>& hits) const {
  const auto& stems = stems_[static_cast<std::size_t>(id)];
  if (stems.empty()) return;
  const Language& rules = language(id);
  const bool is_ambiguous =
      std::find(rules.ambiguous.begin(), rules.ambiguous.end(), word) != rules.ambiguous.end();
  const double doubtful = is_ambiguous ? kAmbiguousForm : kDoubtfulForm;
  rules.endings.for_each(word, [&](std::string_view stem, const Ending& ending) {
    const auto uses = stems.find(stem);
    if (uses == stems.end()) return;
    for (const StemUse& use : uses->second) {
      if ((use.paradigms & ending.clear) != 0)
        add_hit(hits, use.word, use.confidence * kClearForm);
      else if ((use.paradigms & ending.doubtful) != 0)
        add_hit(hits, use.word, use.confidence * doubtful);
      else if ((use.paradigms & ending.ambiguous) != 0)
        add_hit(hits, use.word, use.confidence * kAmbiguousForm);
    }
  });
}

void WordIndex::find_exact(std::string_view word, std::vector<Hit>& hits) const {
  hits.clear();
  if (!may_begin(word)) return;
  if (const auto whole = whole_.find(word); whole != whole_.end()) hits = whole->second;
}

void WordIndex::find(std::string_view word, Turkish turkish, std::vector<Hit>& hits) const {
  find_exact(word, hits);
  if (!may_begin(word)) return;
  for (const LanguageId id : languages_of(word, turkish)) find_stems(id, word, hits);
}

}  // namespace sluice::text
