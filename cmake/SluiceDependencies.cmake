# Third-party libraries. docs/DEPENDENCIES.md says which folder owns each of them and why.
set(Boost_NO_WARN_NEW_VERSIONS ON)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog REQUIRED)
set(SLUICE_SPDLOG spdlog::spdlog)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.40)
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq>=15)
pkg_check_modules(LIBGIT2 REQUIRED IMPORTED_TARGET libgit2>=1.5)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip>=1.7)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat>=2.5)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4>=1.9)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.5)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(FlatBuffers 2.0 CONFIG REQUIRED)  # Its headers alone.
find_package(ICU 72 REQUIRED COMPONENTS uc i18n)

# DuckDB comes from npm (scripts/bootstrap); a system DuckDB can be given with -DSLUICE_DUCKDB_ROOT=/usr.
set(SLUICE_DUCKDB_ROOT "${CMAKE_SOURCE_DIR}/.deps/duckdb" CACHE PATH "Folder with include/duckdb.h and lib/libduckdb.so")
find_path(SLUICE_DUCKDB_INCLUDE duckdb.h PATHS "${SLUICE_DUCKDB_ROOT}/include" NO_DEFAULT_PATH REQUIRED)
find_library(SLUICE_DUCKDB_LIBRARY duckdb PATHS "${SLUICE_DUCKDB_ROOT}/lib" NO_DEFAULT_PATH REQUIRED)
# Only its header is used to build. The program opens the library beside itself when the first engine opens, so each folder of
# the build tree that has programs with an engine gets a link to it.
add_library(duckdb::duckdb INTERFACE IMPORTED)
set_target_properties(duckdb::duckdb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${SLUICE_DUCKDB_INCLUDE}")
foreach(folder IN ITEMS "" "/tests" "/bench" "/fuzz")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}${folder}")
  file(CREATE_LINK "${SLUICE_DUCKDB_LIBRARY}" "${CMAKE_BINARY_DIR}${folder}/libduckdb.so" SYMBOLIC)
endforeach()

# No program has a run path: an empty element in it, which CMake leaves room for, would make the loader search the current folder.
set(CMAKE_SKIP_RPATH ON)
