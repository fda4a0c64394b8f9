/* Which requests of ioctl() go on: a short list, as a descriptor for reading is all that it takes
 * to freeze a file system or to change a file's flags by one, and Landlock sees neither. */
#include <asm/termbits.h>
#include <asm/termios.h>
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/jail_layers.h"

#define ONE UINT32_MAX
#define LETTER UINT32_C(0xff00) /* whose requests they are, beside direction, size and number */

/* All requests with these bits. `driver`: only of a process that talks to NVIDIA's driver. */
struct allowed {
	uint32_t mask, request;
	bool driver;
};

static const struct allowed allowed[] = {
	/* the C library asks whether a descriptor is a terminal, and how wide; what is there to read */
	{ONE, TCGETS, false},
	{ONE, TCGETS2, false},
	{ONE, TIOCGWINSZ, false},
	{ONE, FIONREAD, false},
	{ONE, FIONBIO, false},
	{ONE, FIOCLEX, false},
	{ONE, FIONCLEX, false},
	/* /dev/nvidia0 and /dev/nvidiactl: all begin with NV_IOCTL_MAGIC */
	{LETTER, 'F' << 8, true},
	/* /dev/dxg, in its place under Windows */
	{LETTER, 'G' << 8, true},
	/* /dev/nvidia-uvm: numbers without direction, size and letter, 81 of them in driver 580; and
	 * its beginning and end */
	{~UINT32_C(0x7f), 0, true},
	{ONE, 0x30000001, true},
	{ONE, 0x30000002, true},
};

/* seccomp says what is refused, so the list is turned around. Of all requests that have `value` in
 * the bits of `mask`: refused as a whole where none is allowed; else those with one bit more set,
 * and those with it cleared, are looked at by themselves. 0, or a negative errno. */
static int refuse_rest(scmp_filter_ctx filter, uint32_t how, bool driver, uint32_t mask,
					   uint32_t value)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
		const struct allowed *row = &allowed[i];
		if ((row->driver && !driver) || ((row->request ^ value) & row->mask & mask) != 0)
			continue; /* none of these */
		uint32_t open = row->mask & ~mask;
		if (open == 0) /* all of these */
			return 0;
		uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(open));
		int bad = refuse_rest(filter, how, driver, mask | bit, value);
		return bad != 0 ? bad : refuse_rest(filter, how, driver, mask | bit, value | bit);
	}
	return seccomp_rule_add(filter, how, SCMP_SYS(ioctl), 1,
							SCMP_A1(SCMP_CMP_MASKED_EQ, mask, value));
}

int jail_ioctls_refuse(void *filter, uint32_t how, bool driver)
{
	return refuse_rest(filter, how, driver, 0, 0);
}
