/* Who is alive: the keepers of this process.
 *
 * To the supervisor fall the children of a killed keeper, and nothing else tells them from the
 * keepers that live. Threads share the list: it is held so that nobody takes a new keeper for an
 * orphan. A keeper that was forked beside another one has the ends of that one's pipes only until
 * it has arranged its own descriptors; and as it forks in a process of several threads, it does
 * nothing that is not async-signal-safe. */
#include <pthread.h>

#include "process/child_inside.h"

static pthread_mutex_t alive_held = PTHREAD_MUTEX_INITIALIZER;
static struct child *alive;

void child_list_hold(void)
{
	pthread_mutex_lock(&alive_held);
}

void child_list_release(void)
{
	pthread_mutex_unlock(&alive_held);
}

void child_list_add(struct child *child)
{
	child->next = alive;
	alive = child;
}

void child_list_remove(const struct child *child)
{
	child_list_hold();
	struct child **at = &alive;
	while (*at != NULL && *at != child)
		at = &(*at)->next;
	if (*at != NULL)
		*at = child->next;
	child_list_release();
}

bool child_list_has(pid_t keeper)
{
	for (const struct child *child = alive; child != NULL; child = child->next)
		if (child->keeper == keeper)
			return true;
	return false;
}
