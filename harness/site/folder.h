/* A folder of pages, written anew as one: what was there stays as it is until all pages are
 * written. Pages of ours are replaced, and those that no longer belong to it removed; a file of
 * anybody else is neither. */
#ifndef GEMMJUDGE_SITE_FOLDER_H
#define GEMMJUDGE_SITE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Room for a page's name: "index.html", "0123....html", "board-0123....html". */
#define FOLDER_NAME 96

struct folder {
	const char *path; /* borrowed */
	int fd;           /* locked: nobody else writes pages there meanwhile */
	bool made;        /* it was not there */
	size_t count, renamed;
	char (*names)[FOLDER_NAME]; /* owned; the pages, in the order of writing */
	FILE *page;                 /* the one that is being written */
};

/* Makes the folder where it is not there (those above it must be). False with err where it cannot
 * be written, or holds files and no index.html of ours: who names his home by mistake shall not
 * find pages strewn in it. */
bool folder_open(const char *path, struct folder *out, struct error *err);

/* Begins a page and returns its stream, until folder_end_page(); NULL with err, also where a file
 * of this name is there that is no page of ours. */
FILE *folder_page(struct folder *folder, const char *name, struct error *err);
bool folder_end_page(struct folder *folder, struct error *err);

/* Puts the pages in place, the last first, so that whoever follows a link of the first finds what
 * is there; then removes pages of ours that were not written this time. */
bool folder_finish(struct folder *folder, struct error *err);

/* Lets go of it. What was not put in place is gone. */
void folder_close(struct folder *folder);

#endif
