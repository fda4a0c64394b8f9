/* A thread that leaves signals to the one that was there first. */
#ifndef GEMMJUDGE_BASE_THREAD_H
#define GEMMJUDGE_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* False where there can be no more threads; to be joined. Its stack is of the usual size, also
 * where the program was started with a small one. */
bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
