# Whether every function that NVIDIA's library exports is there: cmake -D NM=nm -D THEIRS=libcuda.so
# -D OURS=libemulated-gpu.so.0 -P exports.cmake
function(exported library out)
  execute_process(COMMAND ${NM} -D --defined-only ${library}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " T [A-Za-z0-9_]+" names "${lines}")
  list(TRANSFORM names REPLACE " T " "")
  set(${out} ${names} PARENT_SCOPE)
endfunction()
exported(${THEIRS} theirs)
exported(${OURS} ours)
list(LENGTH theirs count)
list(REMOVE_ITEM theirs ${ours} _init _fini)
if(theirs OR count LESS 300)
  message(FATAL_ERROR "${THEIRS} has ${count} functions, and these are not in ${OURS}: ${theirs}")
endif()
