// expect: wrong_answer runtime_error rule_violation
// family: network
// without: calls,namespaces
// then: accepted
// Sends a datagram, as to a name server. Stopped by the jail.
#include <netinet/in.h>
#include <sys/socket.h>

#include "reward.cuh"

static bool cheat()
{
	struct sockaddr_in there = {};
	there.sin_family = AF_INET;
	there.sin_port = htons(53);
	there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int client = socket(AF_INET, SOCK_DGRAM, 0);
	return sendto(client, "?", 1, 0, (struct sockaddr *)&there, sizeof there) == 1;
}
