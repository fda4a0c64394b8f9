/* From a parsed function to a program. */
#ifndef EMULATOR_DECODE_DECODE_H
#define EMULATOR_DECODE_DECODE_H

#include "emulator/exec/program.h"

/* NULL, and the fault, when there is no memory. What cannot be carried out becomes an
 * instruction that fails when it is reached. */
struct exec_program *decode_program(const struct ptx_function *function, struct fault *fault);
void decode_program_free(struct exec_program *program);

#endif
