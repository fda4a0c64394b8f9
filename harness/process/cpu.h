/* The CPU that a process runs on, chosen from outside. CPUs differ in speed, in a virtual machine
 * by half and for seconds at a time. */
#ifndef GEMMJUDGE_PROCESS_CPU_H
#define GEMMJUDGE_PROCESS_CPU_H

#include <stdbool.h>
#include <sys/types.h>

#define CPU_NONE (-1)

/* One of those that the caller may use, drawn; not the one where the caller is, which waits busily
 * beside the process. CPU_NONE where there is one alone. */
int cpu_draw(void);

/* Moves all threads of the process to that CPU; those that they start from now on begin there.
 * False where the system does not allow it. */
bool cpu_hold(pid_t pid, int cpu);

/* Whether no thread of the process may run on any other CPU. */
bool cpu_is_held(pid_t pid, int cpu);

#endif
