# A cross build for aarch64 (tools/test arm): Debian's compiler, and beside it the libraries that tools/aarch64.sh
# unpacked. What is built names its loader and libraries by their paths there, so that qemu runs it wherever it is
# started, also with an empty environment.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-arm/root ABSOLUTE)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${CMAKE_SYSROOT}/lib/ld-linux-aarch64.so.1,--disable-new-dtags")
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT ",-rpath,${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu"
       ",-rpath,${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
