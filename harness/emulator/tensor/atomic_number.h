/* How numbers are combined with each other: by atomics, and by reductions into a tensor. */
#ifndef EMULATOR_TENSOR_ATOMIC_NUMBER_H
#define EMULATOR_TENSOR_ATOMIC_NUMBER_H

enum atomic_number { ATOM_UNSIGNED, ATOM_SIGNED, ATOM_FLOAT, ATOM_F16, ATOM_BF16 };

#endif
