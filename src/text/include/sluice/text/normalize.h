#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// `text` as search compares it: two spellings of the same words give the same bytes. The result is UTF-8, has
// one space between words and none at its ends, and normalising it again changes nothing. Any thread; linear
// in time.
//
// - Compatibility forms are resolved (NFKC) and case is folded fully: "ﬁ" is "fi", "ß" is "ss", "Σ" and "ς"
// are "σ".
// - Accents are dropped: "é" is "e", "ё" is "е", "ğ" is "g"; so are the strokes that Unicode does not
// decompose ("ø",
//   "ł", "đ", "ħ"), and "æ" is "ae". What is a letter of its own stays: "й", voiced kana, and the vowel signs
//   of Indic and South-East Asian scripts.
// - "I", "İ", "ı" and "i" are all "i", so that Turkish is found whatever the keyboard.
// - "և", "եւ" and "եվ" are "եւ".
// - Zero-width and other invisible characters disappear and never split a word.
// - Everything else that is no letter and no digit separates words: punctuation, "_", "£ © ¬ °" (which
// Armenian texts
//   have where an old encoding had punctuation), and bytes that are not UTF-8.
std::string normalize(std::string_view text);

}  // namespace sluice::text
