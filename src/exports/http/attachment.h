#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/exports/file_format.h"

namespace sluice::exports {

std::string_view media_type_of(FileFormat format);

// The value of Content-Disposition for a file of any name: in ASCII for old programs, and in UTF-8. What
// could end the header, or lead out of the folder where the file is saved, is replaced.
std::string attachment(std::string_view name, std::string_view ending);

// Of a file that a caller may read and nobody else, and that no browser may run.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPrivateFile = {
    {{"Cache-Control", "private, no-store"},
     {"X-Content-Type-Options", "nosniff"},
     {"Referrer-Policy", "no-referrer"},
     {"Content-Security-Policy", "sandbox"}}};

}  // namespace sluice::exports
