# Fuzzers of parsers: build/tests/fuzz_<parser> for each fuzz_<parser>.c, run for two seconds as
# a test. Used here and by the judge's tests.
#
# The first line of a fuzz_*.c says what it links, and where in the repository its seeds lie:
#   /* links: emulator_core; seeds: harness/emulator/tests/fuzz/seeds */
set(FUZZ_FOLDER ${CMAKE_CURRENT_LIST_DIR})
get_filename_component(FUZZ_ROOT ${FUZZ_FOLDER}/../../../.. ABSOLUTE)

if(NOT TARGET fuzz_driver)
  add_library(fuzz_driver OBJECT ${FUZZ_FOLDER}/fuzz.c ${FUZZ_FOLDER}/mutate.c
                                 ${FUZZ_FOLDER}/coverage.c)
  target_compile_definitions(fuzz_driver PRIVATE _GNU_SOURCE)
  target_include_directories(fuzz_driver PUBLIC ${FUZZ_FOLDER})
  set_source_files_properties(${FUZZ_FOLDER}/coverage.c PROPERTIES
                              COMPILE_OPTIONS -fno-sanitize=all)
  if(GEMMJUDGE_FUZZ)
    target_compile_options(fuzz_driver PRIVATE -fno-sanitize-coverage=trace-pc,trace-cmp)
  endif()
  add_custom_target(fuzz)
endif()

function(add_fuzzers)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "fuzz_" "fuzz." test ${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} line LIMIT_COUNT 1)
    string(REPLACE "\\;" "|" line "${line}")
    first_line_part("${line}" links libraries)
    first_line_part("${line}" seeds seeds)
    separate_arguments(libraries)
    separate_arguments(seeds)
    list(TRANSFORM seeds PREPEND ${FUZZ_ROOT}/)
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE FUZZ_SOURCE="${FUZZ_ROOT}")
    target_link_libraries(${name} PRIVATE fuzz_driver ${libraries})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON) # as sanitizers find more
    add_dependencies(fuzz ${name})
    add_dependencies(unit_tests ${name})
    add_test(NAME ${test} COMMAND ${name} --seconds 2 --findings ${CMAKE_BINARY_DIR}/tests ${seeds})
    set_tests_properties(${test} PROPERTIES LABELS "unit;fuzz" TIMEOUT 120)
  endforeach()
endfunction()
