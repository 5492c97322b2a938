# Compiler settings that every target of the project shares.
find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE)
  # Relative paths in the cache's keys, so that a second checkout on the same machine finds what the first one compiled.
  # The two kinds of sloppiness are what ccache asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_SLOPPINESS=pch_defines,time_macros;${SLUICE_CCACHE}")
endif()

add_library(sluice_compiler INTERFACE)
target_compile_options(sluice_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wnull-dereference -Wimplicit-fallthrough -Werror=return-type -Werror=switch -fno-plt)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 on inlined std::string and std::optional. A designated initializer leaves out what
  # keeps its default on purpose.
  target_compile_options(sluice_compiler INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict
    -Wno-array-bounds -Wno-missing-field-initializers)
endif()
# Newer compilers have warnings that this code has not been cleaned of; they must not stop a user's build.
set(is_compiler_of_ci OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(is_compiler_of_ci ON)
endif()
option(SLUICE_WERROR "Treat warnings as errors" ${is_compiler_of_ci})
if(SLUICE_WERROR)
  target_compile_options(sluice_compiler INTERFACE -Werror)
endif()

# A source spends most of its time on headers. Compiled 16 at a time, the program needs a third of the processor time.
option(SLUICE_UNITY "Compile the sources of each module in batches" OFF)

option(SLUICE_PRECOMPILE "Compile the headers that most tests include once" OFF)

set(SLUICE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(SLUICE_SANITIZE)
  target_compile_options(sluice_compiler INTERFACE -fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(sluice_compiler INTERFACE -fsanitize=${SLUICE_SANITIZE})
  target_compile_definitions(sluice_compiler INTERFACE _GLIBCXX_ASSERTIONS=1)
endif()

option(SLUICE_COVERAGE "Count which lines run" OFF)
if(SLUICE_COVERAGE)
  # Without it, counts that threads change at the same time get lost or become negative.
  target_compile_options(sluice_compiler INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(sluice_compiler INTERFACE --coverage)
endif()

# Assertions that cost more than 0.1 % of the instructions of what contains them (sluice/base/assert.h).
option(SLUICE_COSTLY_ASSERTS "Check costly assertions, too" OFF)
if(SLUICE_COSTLY_ASSERTS)
  target_compile_definitions(sluice_compiler INTERFACE SLUICE_COSTLY_ASSERTS=1)
endif()
