#pragma once

#include <string>
#include <string_view>

#include "sluice/base/clock.h"

// The query language of CKAN's search, which is Solr's.
namespace sluice::ckan {

// A phrase in double quotes: whatever `text` holds, it is that and nothing else.
std::string quoted_phrase(std::string_view text);

// Datasets with a resource of a format, in lower and in upper case.
std::string format_filter(std::string_view format);

// `q` looked for in the field `text`, which holds all words of a dataset. What already names a field stays as
// it is, and so does "*:*".
std::string in_text_field(std::string_view q);

// `text` without what means something to the search, for the middle of a pattern: organization:*text*.
std::string pattern_word(std::string_view text);

// Portals do not compute dates of the fields `issued` and `modified`, which are text: NOW-30DAYS in them
// becomes the date that it is.
std::string with_dates(std::string_view query, WallTime now);

// Letters without their accents, everything else as it is.
std::string without_accents(std::string_view text);

}  // namespace sluice::ckan
