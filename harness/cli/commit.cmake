# Writes commit.h: what --version says. Run at every build; the file changes only where the commit
# does, so that nothing is compiled for it otherwise.
#   -DSOURCE=... -DOUT=... -DCUDA=...
set(commit unknown)
execute_process(COMMAND git ls-files --error-unmatch CMakeLists.txt
                WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE foreign OUTPUT_QUIET ERROR_QUIET)
if(foreign EQUAL 0)
  execute_process(COMMAND git describe --always --dirty --abbrev=10 --exclude=* WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT
     "#define GEMMJUDGE_COMMIT \"${commit}\"\n#define GEMMJUDGE_CUDA \"${CUDA}\"\n")
