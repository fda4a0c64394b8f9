# Writes HEADER with the commit of SOURCE, where it is another than before: run in every build.
set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=7 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
# A checkout of something else that this tree lies in says nothing.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-cdup OUTPUT_VARIABLE above
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR NOT above STREQUAL "")
  set(commit "")
else()
  execute_process(COMMAND git -C ${SOURCE} diff-index --quiet HEAD ERROR_QUIET RESULT_VARIABLE changed)
  if(changed)
    string(APPEND commit "+")
  endif()
endif()
set(text "#define COMMIT_OF_BUILD \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
