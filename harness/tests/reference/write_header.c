/* Prints the header with which the reference of a problem is compiled: its sizes, scalars, buffers
 * and steps by their names.
 *
 * usage: write_header FOLDER    with problem.ini and reference.cuh
 */
#include <stdio.h>

#include "testcases/problem_file.h"

int main(int argc, char **argv)
{
	const struct problem *problem;
	struct error err;
	if (argc != 2) {
		fprintf(stderr, "usage: write_header FOLDER\n");
		return 2;
	}
	if (!problem_add(argv[1], &problem, &err)) {
		fprintf(stderr, "write_header: %s\n", err.message);
		return 1;
	}
	char *header = problem_reference_header(problem);
	if (header == NULL || fputs(header, stdout) == EOF || fflush(stdout) != 0) {
		fprintf(stderr, "write_header: the header cannot be written\n");
		return 1;
	}
	return 0;
}
