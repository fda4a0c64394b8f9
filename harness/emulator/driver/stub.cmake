# The C source of a library that has the name of every driver function of OURS and does nothing:
# cmake -D NM=nm -D OURS=libemulated-gpu.so.0 -D SOURCE=stub.c -P stub.cmake
execute_process(COMMAND ${NM} -D --defined-only ${OURS} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T cu[A-Z][A-Za-z0-9_]+" names "${lines}")
list(TRANSFORM names REPLACE " T (.*)" "void \\1(void) {}\n")
string(JOIN "" source ${names})
file(WRITE ${SOURCE} "${source}")
