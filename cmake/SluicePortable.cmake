# Links archives of the C++ libraries, since those of other distributions have other names and symbols. C libraries stay
# shared: scripts/portable puts them beside the program, which looks for them there and nowhere else.
set(SLUICE_GLIBC_MIN 2.34)

function(sluice_use_archive target archive)
  find_library(SLUICE_ARCHIVE_${archive} NAMES lib${archive}.a REQUIRED)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${SLUICE_ARCHIVE_${archive}};${ARGN}")
    return()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} "${SLUICE_ARCHIVE_${archive}}")
  endforeach()
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${SLUICE_ARCHIVE_${archive}}" INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

find_library(SLUICE_ICU_DATA NAMES libicudata.a REQUIRED)
sluice_use_archive(ICU::uc icuuc "${SLUICE_ICU_DATA}")
sluice_use_archive(ICU::i18n icui18n ICU::uc)
sluice_use_archive(PkgConfig::RE2 re2)
sluice_use_archive(PkgConfig::SQLITE sqlite3 m)
sluice_use_archive(yaml-cpp yaml-cpp)

# The objects stay those of a usual build, which the compiler cache has already.
add_subdirectory("${CMAKE_SOURCE_DIR}/packaging/portable")
set_target_properties(fmt::fmt PROPERTIES
  IMPORTED_LOCATION_NONE "${CMAKE_BINARY_DIR}/packaging/portable/libportable_formatting.a")
set(SLUICE_SPDLOG spdlog::spdlog_header_only)

# A run path that also holds for the libraries' own libraries, and that the environment cannot override; in a file, since
# shells and Ninja each have their own ideas of a dollar sign. What nothing uses is left out, since some of that part of
# the compiler's library needs a newer glibc.
set(run_path_file "${CMAKE_BINARY_DIR}/run_path.txt")
file(WRITE "${run_path_file}" "-rpath $ORIGIN --disable-new-dtags\n")
add_link_options(-static-libstdc++ "-Wl,@${run_path_file}" -Wl,--gc-sections)
