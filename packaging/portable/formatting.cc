// What {fmt} keeps in its shared library, compiled from its headers: Debian has no archive of it, and a program that is
// taken to other distributions cannot rely on theirs.
#include <fmt/format-inl.h>

template std::locale fmt::detail::locale_ref::get<std::locale>() const;
template auto fmt::detail::dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
