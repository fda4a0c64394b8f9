/* Between the supervisor and a child program stands a keeper: a small process
 * that is the parent of the program and the subreaper of all that it forks, so
 * that nobody below it can get lost. When the program ends, or the supervisor
 * asks, or the supervisor dies however suddenly, the keeper kills and reaps
 * everything below it, tells how the program ended, and ends itself.
 *
 * It is a fork of the supervisor that runs no other program, so its code is
 * async-signal-safe throughout. */
#ifndef GEMMJUDGE_PROCESS_KEEPER_H
#define GEMMJUDGE_PROCESS_KEEPER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the keeper is given; every descriptor is above KEEPER_LOWEST_FD. */
#define KEEPER_LOWEST_FD 16

struct keeper_task {
	const char *const *argv;
	char *const *environment;
	const char *working_folder; /* or NULL */
	size_t file_limit;          /* bytes of each file that the program writes; 0: any */
	int rules_fd;               /* of landlock.h, only for the program; -1: none */
	int group_fd;               /* of cgroup.h, only for the program; -1: none */
	int null_fd;                /* the program's stdin */
	int output_fd;              /* its stdout and stderr */
	int channel_fd;             /* its CHILD_CHANNEL_FD */
	int start_fd;               /* write end: what went wrong before the program ran, as
								   `struct keeper_failure`; end of file when it runs */
	int life_fd;                /* read end of a pipe that only the supervisor can close */
	int report_fd;              /* write end: `struct keeper_report`, once everything is dead */
};

struct keeper_failure {
	int what; /* enum keeper_failure_kind */
	int error_number;
};

enum keeper_failure_kind {
	KEEPER_CANNOT_FORK,
	KEEPER_CANNOT_ENTER,
	KEEPER_CANNOT_JOIN,
	KEEPER_CANNOT_RESTRICT,
	KEEPER_CANNOT_EXECUTE,
	KEEPER_EXECUTES, /* no failure: the program is about to run as process `error_number` */
};

struct keeper_report {
	pid_t program;
	int ended;        /* the program ended by itself; else it was killed on request */
	int wait_status;  /* of the program, as from waitpid */
	uint64_t written; /* bytes, by it and all that it started, to whatever; UINT64_MAX: not known */
};

/* To be called in the forked process, with all signals blocked. */
_Noreturn void keeper_run(const struct keeper_task *task);

#endif
