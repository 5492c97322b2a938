#include "sluice/text/words.h"

#include <algorithm>
#include <utility>

#include "folder.h"
#include "segment.h"
#include "utf8.h"

namespace sluice::text {
namespace {

// A run of letters between two separators.
struct Run {
  std::size_t begin = 0;  // In the normalised text.
  std::size_t end = 0;
  std::size_t source_begin = 0;
  std::size_t source_end = 0;
};

// Where each byte of a normalised text comes from: the bytes of the source that its code point was read from.
struct Origin {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Trace {
  std::string text;
  std::vector<Run> runs;
};

// One code point can make several words ("½" is "1" and "2"), which then share their source.
void add_runs(std::string_view text, std::size_t before, const Run& source, bool between_words,
              std::vector<Run>& runs) {
  std::size_t at = before;
  if (between_words && at < text.size() && text[at] == ' ') ++at;
  bool begins = between_words;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (begins) runs.push_back({.begin = at, .source_begin = source.source_begin});
    runs.back().end = end;
    runs.back().source_end = source.source_end;
    begins = true;
    at = end + 1;
  }
}

Trace trace(std::string_view source) {
  Trace result;
  Folder folder;
  for (std::size_t at = 0; at < source.size();) {
    Run piece{.source_begin = at};
    const std::size_t before = folder.text().size();
    const bool between_words = folder.between_words();
    folder.append(decode(source, at));
    piece.source_end = at;
    if (folder.text().size() > before)
      add_runs(folder.text(), before, piece, between_words, result.runs);
    else if (!folder.between_words())
      result.runs.back().source_end = at;  // An accent belongs to the word before it.
  }
  result.text = folder.take();
  return result;
}

// The origin of each byte of one run, which has no separator.
std::vector<Origin> origins(std::string_view source) {
  std::vector<Origin> result;
  Folder folder;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t begin = at;
    folder.append(decode(source, at));
    result.resize(folder.text().size(), {.begin = begin, .end = at});
    if (!result.empty()) result.back().end = at;
  }
  return result;
}

void add_words(std::string_view run, const Run& where, std::string_view source, std::vector<Word>& words) {
  const std::string_view bytes = source.substr(where.source_begin, where.source_end - where.source_begin);
  const std::vector<Origin> from = origins(bytes);
  std::size_t at = 0;
  for_each_word(run, [&](std::string_view word) {
    Word found{.text = std::string(word), .offset = where.source_begin, .size = bytes.size()};
    if (from.size() ==
        run.size()) {  // Otherwise a neighbour shares the source of the run, and so does each word.
      found.offset = where.source_begin + from[at].begin;
      found.size = from[at + word.size() - 1].end - from[at].begin;
    }
    at += word.size();
    words.push_back(std::move(found));
  });
}

}  // namespace

std::vector<Word> words(std::string_view text) {
  const Trace traced = trace(text);
  std::vector<Word> result;
  for (const Run& run : traced.runs) {
    const std::string_view letters = std::string_view(traced.text).substr(run.begin, run.end - run.begin);
    if (needs_dictionary(letters))
      add_words(letters, run, text, result);
    else
      result.push_back({.text = std::string(letters),
                        .offset = run.source_begin,
                        .size = run.source_end - run.source_begin});
  }
  return result;
}

}  // namespace sluice::text
