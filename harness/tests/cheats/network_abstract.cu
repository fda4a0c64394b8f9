// expect: wrong_answer runtime_error rule_violation
// family: network
// without: calls
// then: accepted
// Listens at an abstract address, where another process of the machine could help. Stopped by the
// jail.
#include <sys/socket.h>
#include <sys/un.h>

#include "reward.cuh"

static bool cheat()
{
	struct sockaddr_un here = {};
	here.sun_family = AF_UNIX;
	snprintf(here.sun_path, sizeof here.sun_path, "%cgemmjudge-cheat-%d", 0, getpid());
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	return bind(server, (struct sockaddr *)&here, sizeof here) == 0 && listen(server, 1) == 0;
}
