/* The child's end of the channel that child.h describes: a child program's main
 * loop is
 *
 *     int channel = channel_open();
 *     while (channel_receive(channel, &request, sizeof request, &bytes, &fd))
 *         ... channel_send(channel, &reply, sizeof reply, -1);
 *
 * and it ends when channel_receive returns false: the supervisor has closed its
 * end, or is gone. Needs nothing but libc, and keeps no state. */
#ifndef GEMMJUDGE_PROCESS_CHANNEL_H
#define GEMMJUDGE_PROCESS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the channel from CHILD_CHANNEL_FD and moves it to a high descriptor that
 * programs run from here do not inherit; CHILD_CHANNEL_FD itself becomes free.
 * Returns -1 when there is no channel: the program was not started by a
 * supervisor. Call it first, once. */
int channel_open(void);

/* Looks for a message without sleeping, for at most so many seconds. Always true. */
bool channel_look(int channel, double seconds);

/* Waits for one request and stores its length in *bytes, and in *fd the
 * descriptor that came with it (close-on-exec; the caller closes it), or -1. fd
 * may be NULL: a descriptor that comes all the same is closed. False when there
 * is no more to come: the channel is closed or has been damaged, or the request
 * is larger than `capacity`. errno is EMFILE where this process has no room for the descriptor that
 * came along, else 0. */
bool channel_receive(int channel, void *request, size_t capacity, size_t *bytes, int *fd);

/* Sends one reply, with a descriptor when fd >= 0 (the caller keeps its own).
 * False when the supervisor is gone or the channel has been damaged; never
 * raises SIGPIPE. */
bool channel_send(int channel, const void *reply, size_t bytes, int fd);

#endif
