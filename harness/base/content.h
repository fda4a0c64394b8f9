/* The hash by which a file's content is known: compile/content.h makes it. */
#ifndef GEMMJUDGE_BASE_CONTENT_H
#define GEMMJUDGE_BASE_CONTENT_H

#include "base/hash.h"

#define CONTENT_TEXT HASH_TEXT

#endif
