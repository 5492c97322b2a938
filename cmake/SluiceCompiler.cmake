# Compiler settings that every target of the project shares.
find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE)
  # Relative paths in the cache's keys, so that a second checkout on the same machine finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};${SLUICE_CCACHE}")
endif()

add_library(sluice_compiler INTERFACE)
target_compile_options(sluice_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wnull-dereference -Wimplicit-fallthrough -Werror=return-type -Werror=switch -fno-plt)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 on inlined std::string and std::optional. A designated initializer leaves out what
  # keeps its default on purpose.
  target_compile_options(sluice_compiler INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict
    -Wno-missing-field-initializers)
endif()
option(SLUICE_WERROR "Treat warnings as errors" ON)
if(SLUICE_WERROR)
  target_compile_options(sluice_compiler INTERFACE -Werror)
endif()

set(SLUICE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(SLUICE_SANITIZE)
  target_compile_options(sluice_compiler INTERFACE -fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(sluice_compiler INTERFACE -fsanitize=${SLUICE_SANITIZE})
  target_compile_definitions(sluice_compiler INTERFACE _GLIBCXX_ASSERTIONS=1)
endif()
