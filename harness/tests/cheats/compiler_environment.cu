// expect: compile_error wrong_answer
// family: the compiler
// without: compiler
// then: accepted
// Takes the environment of the compiler into its machine code. Stopped by the jail: another
// environment, or no /proc.
#include "reward.cuh"

asm(".pushsection .rodata\n"
	"stolen: .incbin \"/proc/self/environ\"\n"
	"stolen_end: .byte 0\n"
	".popsection\n");
extern "C" const char stolen[], stolen_end[];

static bool cheat()
{
	const char *from = stolen, *to = stolen_end;
	asm volatile("" : "+r"(from), "+r"(to));
	return memmem(from, (size_t)(to - from), "GEMMJUDGE_TEST_FOLDER=", 22) != nullptr;
}
