// expect: compile_error wrong_answer
// family: the compiler
// without: compiler
// then: accepted
// outside: yes
// Takes the judge's own test cases into its machine code, to know them. Stopped by the jail.
#include "reward.cuh"

asm(".pushsection .rodata\n"
	"stolen: .incbin \"%tree%/testcases/suites/edges.ini\"\n"
	"stolen_end: .byte 0\n"
	".popsection\n");
extern "C" const char stolen[], stolen_end[];

static bool cheat()
{
	const char *from = stolen, *to = stolen_end;
	asm volatile("" : "+r"(from), "+r"(to));
	return memmem(from, (size_t)(to - from), "[suite]", 7) != nullptr;
}
