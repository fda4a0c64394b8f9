// expect: wrong_answer
// family: what a former file has left
// options: --without files,calls,namespaces
// batch: this this
// then: accepted
// because: channels: 1
// shown: it finds one channel, its own, as it says
// Looks for a second channel among its descriptors, that of the referee which others will use, and
// would be right if there were one. What the judge has open no child of it inherits.
#include <sys/socket.h>

#include "reward.cuh"

static bool cheat()
{
	int channels = 0;
	for (int fd = 3; fd < 4096; fd++) {
		int type = 0;
		socklen_t bytes = sizeof type;
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_SEQPACKET)
			channels++;
	}
	printf("channels: %d\n", channels);
	return channels > 1;
}
