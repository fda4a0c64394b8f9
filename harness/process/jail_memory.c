/* Which calls would open pages that are closed, move them to where they can be opened, or put
 * others in their place, be it that they begin in front of them. The kernel does not look at
 * mprotect()'s fourth argument, in which the owner of the pages has his key. */
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>

#include "process/jail_layers.h"

/* On aarch64 a pointer's top byte is a tag, which mprotect(), munmap() and mremap() take away;
 * x86-64 has the like, its bits 57 to 62, for who asks for it. The filter sees the pointer with it.
 */
#define UNTAGGED (UINT64_MAX >> 8)

int jail_memory_refuse(void *filter, uint32_t how, const struct jail_memory *memory)
{
	const uint64_t mask = memory->mask & UNTAGGED;
	const struct scmp_arg_cmp inside = SCMP_A0(SCMP_CMP_MASKED_EQ, mask, memory->base),
							  moved_inside = SCMP_A4(SCMP_CMP_MASKED_EQ, mask, memory->base),
							  moved = SCMP_A3(SCMP_CMP_MASKED_EQ, MREMAP_FIXED, MREMAP_FIXED),
							  fixed = SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_FIXED, MAP_FIXED),
							  far = SCMP_A1(SCMP_CMP_GE, memory->far),
							  moved_far = SCMP_A2(SCMP_CMP_GE, memory->far),
							  keyless = SCMP_A3(SCMP_CMP_NE, memory->key);
	const struct {
		int call;
		unsigned count;
		struct scmp_arg_cmp where[2];
	} rules[] = {
		{SCMP_SYS(mprotect), 2, {inside, keyless}},
		{SCMP_SYS(mprotect), 2, {far, keyless}},
		{SCMP_SYS(pkey_mprotect), 1, {inside}},
		{SCMP_SYS(pkey_mprotect), 1, {far}},
		{SCMP_SYS(munmap), 1, {inside}},
		{SCMP_SYS(munmap), 1, {far}},
		{SCMP_SYS(mmap), 1, {inside}},
		{SCMP_SYS(mmap), 2, {far, fixed}},
		{SCMP_SYS(mremap), 1, {inside}},
		{SCMP_SYS(mremap), 2, {moved_inside, moved}},
		{SCMP_SYS(mremap), 2, {moved_far, moved}},
		{SCMP_SYS(remap_file_pages), 1, {inside}},
	};
	int bad = 0;
	for (size_t i = 0; memory->mask != 0 && i < sizeof rules / sizeof *rules && bad == 0; i++)
		bad = seccomp_rule_add_array(filter, how, rules[i].call, rules[i].count, rules[i].where);
	return bad;
}
