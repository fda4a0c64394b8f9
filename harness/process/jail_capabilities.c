/* Root's rights, one by one. They are a thread's, and the kernel asks for them where no layer
 * stands: whoever lacks them is an ordinary user, whatever his number. No file gives them back, as
 * nothing is executed any more. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/jail_layers.h"

/* AddressSanitizer's prctl() is nothing for a signal handler. */
static long process_control(int option, unsigned long argument)
{
	return syscall(SYS_prctl, option, argument, 0, 0, 0);
}

static int drop(long unused)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	(void)unused;
	/* Only who has CAP_SETPCAP may narrow what could be gained; who has not gains nothing. */
	for (unsigned long i = 0; process_control(PR_CAPBSET_READ, i) >= 0; i++)
		process_control(PR_CAPBSET_DROP, i);
	process_control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
	return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

bool jail_capabilities_drop(const struct jail_threads *threads, struct error *err)
{
	int error_number = 0;
	return jail_every_thread(threads, drop, 0, &error_number, err) &&
		   (error_number == 0 || error_set(err, "capabilities stay: %s", strerror(error_number)));
}
