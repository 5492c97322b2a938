# Third-party libraries. docs/DEPENDENCIES.md says which folder owns each of them and why.
set(Boost_NO_WARN_NEW_VERSIONS ON)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.40)
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq>=15)
pkg_check_modules(LIBGIT2 REQUIRED IMPORTED_TARGET libgit2>=1.5)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip>=1.7)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(FlatBuffers 2.0 CONFIG REQUIRED)  # Its headers alone.
find_package(ICU 72 REQUIRED COMPONENTS uc i18n)

# DuckDB comes from npm (scripts/bootstrap); a system DuckDB can be given with -DSLUICE_DUCKDB_ROOT=/usr.
set(SLUICE_DUCKDB_ROOT "${CMAKE_SOURCE_DIR}/.deps/duckdb" CACHE PATH "Folder with include/duckdb.h and lib/libduckdb.so")
find_path(SLUICE_DUCKDB_INCLUDE duckdb.h PATHS "${SLUICE_DUCKDB_ROOT}/include" NO_DEFAULT_PATH REQUIRED)
find_library(SLUICE_DUCKDB_LIBRARY duckdb PATHS "${SLUICE_DUCKDB_ROOT}/lib" NO_DEFAULT_PATH REQUIRED)
# Its header alone: the program loads the library when the first engine opens, from where it looks for libraries.
add_library(duckdb::duckdb INTERFACE IMPORTED)
set_target_properties(duckdb::duckdb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${SLUICE_DUCKDB_INCLUDE}")
get_filename_component(SLUICE_DUCKDB_FOLDER "${SLUICE_DUCKDB_LIBRARY}" DIRECTORY)
set(CMAKE_BUILD_RPATH "${SLUICE_DUCKDB_FOLDER}")
if(SLUICE_SANITIZE)
  # There the sanitizer's library calls the loader, which then does not look where the program's RUNPATH says.
  add_link_options(-Wl,--disable-new-dtags)
endif()
