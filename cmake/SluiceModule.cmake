# sluice_module(NAME engine LAYER 2 SOURCES a.cc b.cc [DEPS base json] [LIBRARIES Boost::headers])
#
# One folder in src/ is one module: target sluice_<NAME>, alias sluice::<NAME>, public headers in include/.
# A module may depend on strictly lower layers only, and only on the modules it lists in DEPS. There is no shared
# include root, so an include of a module that no dependency has does not compile; tests/tidy/modules.py refuses the
# others that are not listed. LIBRARIES are third party and private.
function(sluice_module)
  cmake_parse_arguments(M "" "NAME;LAYER" "SOURCES;DEPS;LIBRARIES" ${ARGN})
  if(M_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sluice_module(${M_NAME}): unknown arguments: ${M_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT DEFINED M_NAME OR NOT DEFINED M_LAYER)
    message(FATAL_ERROR "sluice_module: NAME and LAYER are required")
  endif()
  foreach(dependency IN LISTS M_DEPS)
    get_property(layer GLOBAL PROPERTY "SLUICE_LAYER_${dependency}")
    if("${layer}" STREQUAL "")
      message(FATAL_ERROR "sluice_module(${M_NAME}): depends on '${dependency}', which is not a module declared before it")
    endif()
    if(NOT layer LESS M_LAYER)
      message(FATAL_ERROR "sluice_module(${M_NAME}): layer ${M_LAYER} may not depend on '${dependency}' of layer ${layer}")
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY "SLUICE_LAYER_${M_NAME}" "${M_LAYER}")
  set_property(GLOBAL APPEND PROPERTY SLUICE_MODULES "${M_NAME}")
  set_property(GLOBAL PROPERTY "SLUICE_DIR_${M_NAME}" "${CMAKE_CURRENT_SOURCE_DIR}")

  set(target "sluice_${M_NAME}")
  add_library(${target} STATIC ${M_SOURCES})
  add_library(sluice::${M_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${M_NAME} UNITY_BUILD "${SLUICE_UNITY}" UNITY_BUILD_BATCH_SIZE 16)
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>"
    PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sluice_compiler> ${M_LIBRARIES})
  foreach(dependency IN LISTS M_DEPS)
    target_link_libraries(${target} PUBLIC sluice_${dependency})
  endforeach()
endfunction()

# sluice_program(NAME target DEPS modules SOURCES files): an executable of the project.
function(sluice_program)
  cmake_parse_arguments(P "" "NAME" "SOURCES;DEPS;LIBRARIES" ${ARGN})
  add_executable(${P_NAME} ${P_SOURCES})
  target_link_libraries(${P_NAME} PRIVATE sluice_compiler ${P_LIBRARIES})
  foreach(dependency IN LISTS P_DEPS)
    target_link_libraries(${P_NAME} PRIVATE sluice_${dependency})
  endforeach()
endfunction()
