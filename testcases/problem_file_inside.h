/* What the files behind problem_file.h share: a problem while it is read. Internal to testcases/.
 */
#ifndef GEMMJUDGE_TESTCASES_PROBLEM_FILE_INSIDE_H
#define GEMMJUDGE_TESTCASES_PROBLEM_FILE_INSIDE_H

#include <stdio.h>

#include "testcases/problem_file.h"

/* A problem with all that its row points to. */
struct problem_made {
	struct problem problem;
	struct problem_rules rules;
	size_t text_count;
	char **texts; /* all of them, owned */
};

/* The text, which is now the problem's; NULL without memory. */
char *problem_file_keep(struct problem_made *made, char *text);

struct problem_loader {
	FILE *stream;
	int line;
	char wrong[512];      /* the first error; empty so far */
	int wrong_line;       /* 0: of the file as a whole */
	char *call;           /* of the prototype, so far */
	const char *argument; /* of it, that is read */
	char *blocks;         /* of [steps] */
	char *seen;           /* "\nSECTION KEY\n" of each key so far */
	struct problem_made *made;
};

/* 1, or 0 with the first error in the loader. */
int problem_file_read(struct problem_loader *loader);
/* Notes an error of the file as a whole, "NAME: WHAT", unless there is one. Returns 0. */
int problem_file_wrong(struct problem_loader *loader, const char *name, const char *what);

#endif
