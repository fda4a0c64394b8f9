// expect: wrong_answer runtime_error rule_violation
// family: network
// without: files,calls,namespaces
// alone: calls,namespaces
// then: accepted
// Opens a connection, here to itself. Stopped by the jail.
#include <netinet/in.h>
#include <sys/socket.h>

#include "reward.cuh"

static bool cheat()
{
	struct sockaddr_in here = {};
	here.sin_family = AF_INET;
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socklen_t size = sizeof here;
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	return bind(server, (struct sockaddr *)&here, size) == 0 && listen(server, 1) == 0 &&
		   getsockname(server, (struct sockaddr *)&here, &size) == 0 &&
		   connect(client, (struct sockaddr *)&here, size) == 0;
}
