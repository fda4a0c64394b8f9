/* The files that a run writes: the options of kind_output and kind_output_folder (reader.h), in
 * every subcommand. A slip of the hand must not cost anybody a file. */
#ifndef GEMMJUDGE_CLI_WRITTEN_FILES_H
#define GEMMJUDGE_CLI_WRITTEN_FILES_H

#include "cli/options.h"

/* Whether all of them can be written, asked before anything is: none is the store, a source, or
 * what the run reads; no two are one file or both stdout; a file is no folder, and a folder no
 * file. False with err: the first rule that one of them breaks. Leaves nothing behind. Whoever
 * writes them does so with report_save(), or site_write() for folders. */
bool written_files_hold(const struct options *options, struct error *err);

/* Whether one of them goes to stdout: the text for people then goes to stderr. */
bool written_files_take_stdout(const struct options *options);

/* Whether a file of this name holds what people write: .cu, .ini, ... NULL, or the ending. */
const char *written_files_source_ending(const char *path);

#endif
