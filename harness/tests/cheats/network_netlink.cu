// expect: wrong_answer runtime_error rule_violation
// family: network
// without: calls
// then: accepted
// Asks the kernel for the machine's network interfaces. Stopped by the jail.
#include <linux/netlink.h>
#include <sys/socket.h>

#include "reward.cuh"

static bool cheat()
{
	return socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) >= 0;
}
