#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::protocol {

// The revisions of the protocol, oldest first: they compare by age.
enum class Revision : std::uint8_t { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };

inline constexpr Revision kNewestLegacy = Revision::k2025_11_25;
inline constexpr Revision kNewest = Revision::k2026_07_28;
inline constexpr std::array kAllRevisions{Revision::k2026_07_28, Revision::k2025_11_25, Revision::k2025_06_18,
                                          Revision::k2025_03_26, Revision::k2024_11_05};

std::string_view to_string(Revision revision);
std::optional<Revision> parse_revision(std::string_view text);

// Legacy revisions open with `initialize`; modern ones carry their metadata in every request.
constexpr bool is_modern(Revision revision) { return revision >= Revision::k2026_07_28; }

}  // namespace sluice::protocol
