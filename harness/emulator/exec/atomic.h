/* Read, combine and write at once: atom, red, cp.reduce.async.bulk. */
#ifndef EMULATOR_EXEC_ATOMIC_H
#define EMULATOR_EXEC_ATOMIC_H

#include <stdint.h>

enum atomic_operation {
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_INC,
	ATOM_DEC
};
enum atomic_number { ATOM_UNSIGNED, ATOM_SIGNED, ATOM_FLOAT, ATOM_F16, ATOM_BF16 };
struct atomic_form {
	enum atomic_operation operation;
	enum atomic_number number;
	int size; /* bytes: 2, 4, 8; a pair of halves is one of 4 */
};

/* Combines what is at `p`, a multiple of the size, with `b` (and `c`: what a
 * compare-and-swap writes); returns what was there. */
uint64_t exec_atomic(void *p, uint64_t b, uint64_t c, struct atomic_form form);

#endif
