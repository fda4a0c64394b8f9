/* What a process may no longer do once code of a submission runs in it. Each layer stands by
 * itself: what a machine lacks is left out and told, never assumed. Linux only. */
#ifndef GEMMJUDGE_PROCESS_JAIL_H
#define GEMMJUDGE_PROCESS_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "judgement/layers.h"

/* Pages whose protection only those change who know the key: the addresses a with (a & mask) ==
 * base, in the end of which they lie, behind at least `far` bytes. mask 0: none. */
struct jail_memory {
	uint64_t base, mask, far, key;
};

/* Paths of files, or of folders with all that is below; NULL-ended, or NULL: none. */
struct jail {
	const char *const *readable;
	const char *const *writable;  /* readable too; in folders files may be made and removed */
	size_t file_bytes;            /* no file grows beyond this; 0: any size */
	bool driver;                  /* it talks to NVIDIA's driver, by ioctl() */
	struct jail_memory memory;    /* of the process, that nobody may open */
	struct jail_telling *telling; /* filled: who is told of what is denied; NULL: nobody */
};

/* Of a process that is closed so that somebody else looks on (denied.h). */
struct jail_telling {
	int fd;            /* for denied_listen() of another process. Whoever has it can answer in its
						  place: to be closed before foreign code runs. -1: nobody is told */
	char why_not[160]; /* then, where LAYER_CALLS holds */
};

/* Closes the calling process, all of its threads, for good. Returns those of the wanted layers
 * that hold; why others do not is in err, "" where all do. Core files and new privileges are gone
 * in any case. Wanted 0: nothing is done. A file that is listed and missing costs LAYER_FILES. */
unsigned jail_close(const struct jail *what, unsigned wanted, struct error *err);

#endif
