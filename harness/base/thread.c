#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

#define STACK_BYTES ((size_t)8 << 20)

bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* a thread has those of whoever made it */
	bool started = pthread_create(thread, &attributes, run, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}
