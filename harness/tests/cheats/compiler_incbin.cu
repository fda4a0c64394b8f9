// expect: compile_error wrong_answer
// family: the compiler
// without: compiler
// then: accepted
// Takes a file of the machine into its machine code by the assembler. Stopped by the jail.
#include "reward.cuh"

asm(".pushsection .rodata\n"
	"stolen: .incbin \"/etc/passwd\"\n"
	"stolen_end: .byte 0\n"
	".popsection\n");
extern "C" const char stolen[], stolen_end[];

static bool cheat()
{
	const char *from = stolen, *to = stolen_end;
	asm volatile("" : "+r"(from), "+r"(to));
	return to - from > 10;
}
