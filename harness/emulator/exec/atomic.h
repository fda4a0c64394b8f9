/* Which atomic an instruction is: atom, red, cp.reduce.async.bulk. */
#ifndef EMULATOR_EXEC_ATOMIC_H
#define EMULATOR_EXEC_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/tensor/atomic_number.h"

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
struct atomic_form {
	enum atomic_operation operation;
	enum atomic_number number;
	int size;   /* bytes: 2, 4, 8; a pair of halves is one of 4 */
	bool flush; /* add of f32: subnormals are zeros, as in global memory */
};

#endif
