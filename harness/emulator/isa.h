#ifndef EMULATOR_ISA_H
#define EMULATOR_ISA_H

/* The x86-64 level, 2 to 4, whose code runs here: what the machine has, or less
 * when $EMULATOR_ISA asks for it. The same for the whole life of the process. */
int isa_level(void);

#endif
