# The program, and the C++ SDK: find_package(sluice) gives sluice::mcp, and each of its modules as sluice::<name>;
# beside it sluice::gateway, which makes the resources of other servers tools, and what it is built on.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sdk_modules base json crypto fs cache protocol catalog transport fetch oauth client guard server host)
set(gateway_modules text contents gateway)

add_library(sluice_mcp INTERFACE)
add_library(sluice::mcp ALIAS sluice_mcp)
set_target_properties(sluice_mcp PROPERTIES EXPORT_NAME mcp)
target_compile_features(sluice_mcp INTERFACE cxx_std_20)
install(TARGETS sluice_mcp EXPORT sluiceTargets)

foreach(module IN LISTS sdk_modules)
  target_link_libraries(sluice_mcp INTERFACE sluice_${module})
endforeach()
foreach(module IN LISTS sdk_modules gateway_modules)
  target_compile_features(sluice_${module} PUBLIC cxx_std_20)
  get_property(folder GLOBAL PROPERTY "SLUICE_DIR_${module}")
  install(TARGETS sluice_${module} EXPORT sluiceTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${folder}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
endforeach()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/sluice")
install(EXPORT sluiceTargets NAMESPACE sluice:: DESTINATION "${package_folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/sluiceConfig.cmake.in" "${CMAKE_BINARY_DIR}/sluiceConfig.cmake"
  INSTALL_DESTINATION "${package_folder}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break what uses it.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/sluiceConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/sluiceConfig.cmake" "${CMAKE_BINARY_DIR}/sluiceConfigVersion.cmake"
  DESTINATION "${package_folder}")

# DuckDB is installed with the program, which looks for it in ../lib/sluice: no distribution has it.
file(REAL_PATH "${SLUICE_DUCKDB_LIBRARY}" duckdb_library)
install(FILES "${duckdb_library}" DESTINATION lib/sluice RENAME libduckdb.so)
install(TARGETS sluice RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The program describes its own command line. One for another processor can be run only with an emulator.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  foreach(page IN ITEMS "completion bash|bash-completion/completions/sluice" "completion zsh|zsh/site-functions/_sluice"
      "completion fish|fish/vendor_completions.d/sluice.fish" "man|man/man1/sluice.1")
    string(REPLACE "|" ";" page "${page}")
    list(GET page 0 arguments)
    list(GET page 1 file)
    string(REPLACE " " "\" \"" arguments "\"${arguments}\"")
    install(CODE "
      set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${file}\")
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:sluice>\" ${arguments} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Installing: \${file}\")
    ")
  endforeach()
endif()
