# Criterion tests: one executable build/tests/test_<thing> for each test_<thing>.c.
#
# The first line of a test_*.c says what the executable links, and optionally
# its label and its time limit in seconds:
#   /* links: testcases base */
#   /* links: device base; label: gpu; timeout: 300 */
# A test with the label gpu is reported as skipped where there is no GPU; those with the label
# threads are what `tools/test threads` builds and runs.
# With UNIT_TESTS_APART on only the target unit_tests builds them: tools/test runs them with
# sanitizers, and would else build and run them twice.
find_library(CRITERION_LIBRARY criterion)
find_path(CRITERION_INCLUDE criterion/criterion.h)
find_program(BASH_PROGRAM bash REQUIRED)
set(CRITERION_THREADS ${CMAKE_CURRENT_LIST_DIR}/criterion_threads.c)
set(SKIPPED 77) # the exit status that says "skipped", as in automake

# The value of "key: value" in a first line ("" when it is not there).
function(first_line_part line key out)
  set(${out} "" PARENT_SCOPE)
  if(line MATCHES "[ |*]${key}:([^|*]*)")
    string(STRIP "${CMAKE_MATCH_1}" value)
    set(${out} "${value}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET unit_tests)
  add_custom_target(unit_tests)
endif()
if(NOT TARGET threads_tests)
  add_custom_target(threads_tests)
endif()

function(add_criterion_tests)
  if(NOT (CRITERION_LIBRARY AND CRITERION_INCLUDE))
    message(STATUS "Criterion (libcriterion-dev) is missing: unit tests are not built")
    return()
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} line LIMIT_COUNT 1)
    string(REPLACE "\\;" "|" line "${line}") # file(STRINGS) escapes semicolons
    first_line_part("${line}" links libraries)
    first_line_part("${line}" label label)
    first_line_part("${line}" timeout timeout)
    separate_arguments(libraries)
    separate_arguments(label)
    set(missing)
    foreach(library IN LISTS libraries)
      if(NOT TARGET ${library})
        list(APPEND missing ${library})
      endif()
    endforeach()
    if(missing)
      message(FATAL_ERROR "${source} links what is no target: ${missing}")
    endif()

    add_executable(${name} ${source} $<$<BOOL:${GEMMJUDGE_THREADS}>:${CRITERION_THREADS}>)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL "${UNIT_TESTS_APART}")
    add_dependencies(unit_tests ${name})
    if("threads" IN_LIST label)
      add_dependencies(threads_tests ${name})
    endif()
    target_link_libraries(${name} PRIVATE ${libraries} ${CRITERION_LIBRARY} m)
    # Of Criterion's macros an optimiser makes nothing, and takes more than twice as long. What is
    # tested is in the libraries, and optimised.
    target_compile_options(${name} PRIVATE -O0)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    if(label STREQUAL "gpu")
      add_test(NAME ${name} COMMAND ${BASH_PROGRAM} ${GPU_TEST_RUNNER}
                                    $<TARGET_FILE:${name}>)
    else()
      add_test(NAME ${name} COMMAND ${name})
    endif()
    if(NOT timeout)
      set(timeout 120)
    endif()
    if(GEMMJUDGE_THREADS OR CMAKE_CROSSCOMPILING) # and then runs under qemu
      math(EXPR timeout "4 * ${timeout}")
    endif()
    # Criterion takes no notice of what a test's process finds as it ends.
    set_tests_properties(${name} PROPERTIES LABELS "unit;${label}" TIMEOUT ${timeout}
                                            SKIP_RETURN_CODE ${SKIPPED}
                                            FAIL_REGULAR_EXPRESSION "ERROR: LeakSanitizer;WARNING: ThreadSanitizer")
  endforeach()
endfunction()
