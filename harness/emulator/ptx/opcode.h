/* The opcodes of PTX, and what is known of each: the rows of opcodes.def. */
#ifndef EMULATOR_PTX_OPCODE_H
#define EMULATOR_PTX_OPCODE_H

#include <stdint.h>

enum ptx_opcode {
	OPCODE_NONE, /* of what no text has */
#define OPCODE(id, name, decode, operation, effect, facts) OPCODE_##id,
#include "emulator/ptx/opcodes.def"
	OPCODES,
};

enum ptx_fact {
	/* it goes on elsewhere, or waits for other warps: registers that live on behind it keep their
	 * slots (decode/liveness.c) */
	PTX_ENDS_BLOCK = 1,
	PTX_HARMS = 2,   /* a store, atomic, barrier, exit or product of tensor cores: exec/region.h */
	PTX_CROSSES = 4, /* lanes exchange values */
	PTX_ORDERS = 8,  /* closes or waits for groups of cp.async: harms a lane with copies */
	/* reads or changes what neither a register nor a place that ld or atom reads shows: no spin
	 * that is looked at closely has it (launch/spin.h) */
	PTX_UNSEEN = 16,
	PTX_ALIGNED = 32, /* all lanes of a warp have to come to it, also without .aligned */
	PTX_READS_CARRY = 64,
	PTX_MOVES_TWO = 128, /* of EFFECT_MOVE: its first two sources are values, not just one */
};

extern const char *const ptx_opcode_names[OPCODES]; /* "ld", "cp.async.bulk" */
extern const uint8_t ptx_opcode_facts[OPCODES];     /* enum ptx_fact, or'ed */

#endif
