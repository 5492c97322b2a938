#pragma once

// Checks of what this program itself guarantees. They are independent of NDEBUG. What input, data, a peer or
// the clock can cause is never asserted: it is a Result.
//
// SLUICE_ASSERT(condition, message): if `condition` is false, writes the expression, its place and `message`,
// which says what is guaranteed and why, to stderr and aborts. It is checked in every build. The condition
// may not have effects.
//
// SLUICE_COSTLY_ASSERT(condition, message): the same for a check that costs more than 0.1 % of the
// instructions of what contains it. It is checked if SLUICE_COSTLY_ASSERTS is 1, as in the presets dev, asan
// and tsan. Other builds compile the condition and never evaluate it.
#define SLUICE_ASSERT(condition, message) \
  (static_cast<bool>(condition)           \
       ? void()                           \
       : ::sluice::fail_assertion({.expression = #condition, .file = __FILE__, .line = __LINE__}, message))

#ifndef SLUICE_COSTLY_ASSERTS
#define SLUICE_COSTLY_ASSERTS 0
#endif

#if SLUICE_COSTLY_ASSERTS
#define SLUICE_COSTLY_ASSERT(condition, message) SLUICE_ASSERT(condition, message)
#else
#define SLUICE_COSTLY_ASSERT(condition, message) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif

namespace sluice {

struct AssertionPlace {
  const char* expression;
  const char* file;
  int line;
};

// Writes "FILE:LINE: assertion failed: EXPRESSION: MESSAGE" to stderr and aborts. Any thread.
[[noreturn, gnu::cold]] void fail_assertion(const AssertionPlace& place, const char* message) noexcept;

}  // namespace sluice
