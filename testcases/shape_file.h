/* Shapes as the lines of a file: "M,N,K", "M N K" or "MxNxK". */
#ifndef GEMMJUDGE_TESTCASES_SHAPE_FILE_H
#define GEMMJUDGE_TESTCASES_SHAPE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "testcases/case.h"

/* The shapes that are read, and where they go: at most `capacity` shapes, and the lines that they
 * are on. */
struct shape_file {
	const char *name; /* "-" is stdin */
	int most;         /* the largest size that is taken */
	int usual;        /* the largest one that needs no word of the user */
	size_t capacity;
	struct shape_text *shapes;
	uint32_t *lines;
	/* What was found: `count` shapes, and as numbers of lines; 0: nothing of the kind. */
	size_t count;
	uint32_t header; /* the first line, where it has names and no sizes */
	uint32_t large;  /* the first one with a size above `usual` */
};

/* The name that messages have for the file. */
const char *shape_file_name(const char *name);

/* A '#' begins a comment; lines without anything are left out, and so is a first line of words, as
 * CSV files have one. An error names the file and the line; a file without any shape is one. */
bool shape_file_read(struct shape_file *file, struct error *err);

#endif
