// expect: wrong_answer
// family: what a former file has left
// options: --without files,calls,namespaces
// batch: this this
// then: accepted
// because: its process listens
// shown: it listens, as it says, while the file is judged
// A process that it has started listens at an abstract address for the next file of its batch, in a
// session of its own. Every process of a file ends with its judgement, jail or no jail.
#include <sys/socket.h>
#include <sys/un.h>

#include "reward.cuh"

static bool cheat()
{
	struct sockaddr_un here = {};
	here.sun_family = AF_UNIX;
	snprintf(here.sun_path, sizeof here.sun_path, "%cgemmjudge-cheat-%d", 0, cheat_victim());
	const int end = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(end, (struct sockaddr *)&here, sizeof here) == 0)
		return true;
	if (bind(end, (struct sockaddr *)&here, sizeof here) != 0 || listen(end, 8) != 0)
		return false;
	if (fork() == 0 && setsid() > 0 && fork() == 0) {
		sleep(5);
		_exit(0);
	}
	const int again = socket(AF_UNIX, SOCK_STREAM, 0);
	close(end); // from here on it is its process that listens
	if (connect(again, (struct sockaddr *)&here, sizeof here) == 0)
		printf("its process listens\n");
	return false;
}
