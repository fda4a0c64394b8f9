/* The hash by which a file's content is known: compile/content.h makes it. */
#ifndef GEMMJUDGE_BASE_CONTENT_H
#define GEMMJUDGE_BASE_CONTENT_H

#define CONTENT_TEXT 33 /* 32 hexadecimal digits and the end */

#endif
