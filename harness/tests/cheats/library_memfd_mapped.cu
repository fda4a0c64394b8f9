// expect: wrong_answer runtime_error rule_violation
// family: libraries
// without: calls
// then: accepted
// A library in a memory file, with a loader of its own: it maps the memory file executable. Stopped
// by the jail.
#include <sys/mman.h>

#include "reward.cuh"

static bool cheat()
{
	const unsigned char code[] = {0xB8, 42, 0, 0, 0, 0xC3}; // mov eax, 42; ret
	int memory = memfd_create("", 0);
	if (write(memory, code, sizeof code) != sizeof code)
		return false;
	void *at = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, memory, 0);
	return at != MAP_FAILED && ((int (*)())at)() == 42;
}
