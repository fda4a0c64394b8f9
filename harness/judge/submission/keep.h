/* --code: what a file was compiled to, beside each other in a folder of the user's. Internal to
 * judge/. */
#ifndef GEMMJUDGE_JUDGE_SUBMISSION_KEEP_H
#define GEMMJUDGE_JUDGE_SUBMISSION_KEEP_H

#include "base/error.h"

/* Writes the library's PTX to FOLDER/NAME.ptx, its machine code to FOLDER/NAME.cubin and, where
 * there is a disassembler (sass.h), what that says of it to FOLDER/NAME.sass; NAME is the file's,
 * without its ending. Makes the folder, and replaces nothing: false with err where one of them is
 * there, or cannot be written. */
bool keep_write(const char *library, const char *file, const char *folder, struct error *err);

#endif
