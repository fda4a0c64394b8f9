/* What the runtime knows of its process (runtime.h); state.c guards it. */
#include "emulator/runtime/runtime.h"

struct runtime runtime;
