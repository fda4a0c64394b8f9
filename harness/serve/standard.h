/* A standard judgement: how a server judges a problem where nobody asks for anything else. Only it
 * counts for boards and class tables; one with options of the submitter's own is practice. Internal
 * to serve/. */
#ifndef GEMMJUDGE_SERVE_STANDARD_H
#define GEMMJUDGE_SERVE_STANDARD_H

#include <jansson.h>

#include "serve/serve.h"

/* Whether config->standard is an object of problems' names with options that a submission may have.
 * False with err. */
bool standard_suits(const struct serve_config *config, struct error *err);

/* The options of a problem's standard judgement, behind the server's own words: an object,
 * borrowed; NULL: there are none. */
const json_t *standard_of(const struct serve_config *config, const char *problem);

/* Whether such options of a submission choose what is judged in another way than the standard. */
bool standard_is_left(const struct serve_config *config, const char *problem,
					  const json_t *options);

/* The options that a submission with these is judged with: a new object. */
json_t *standard_options(const struct serve_config *config, const char *problem,
						 const json_t *options);

#endif
