#include "cli/cli.h"

void help_program(FILE *out)
{
	fputs("usage: gemmjudge COMMAND [ARGUMENT...]\n"
		  "\n"
		  "Judges matrix-multiplication kernels: compiles a CUDA file that defines\n"
		  "extern \"C\" void solve(...), checks it on many cases, and times it. Runs on an\n"
		  "NVIDIA GPU, or on an emulated one where there is none.\n"
		  "\n"
		  "  judge FILE...     compile, check and time solutions; say what they are worth\n"
		  "  bench FILE...     only time them, side by side, over several shapes\n"
		  "  compare FILE...   what a fused epilogue gains over a library and a kernel\n"
		  "  new NAME          write a starter file to fill in\n"
		  "  list              the problems, suites and solutions that there are\n"
		  "  doctor            what this machine has, what it lacks, and what that costs\n"
		  "\n"
		  "  COMMAND --help    its options\n"
		  "  --version         the version of gemmjudge\n"
		  "\n"
		  "exit status: 0 all accepted, 1 not accepted, 2 wrong usage or a bad file,\n"
		  "3 cannot run here (no compiler, no such device)\n",
		  out);
}

static const char *head_of(enum command command)
{
	switch (command) {
	case COMMAND_JUDGE:
		return "usage: gemmjudge judge FILE... [OPTION...]\n"
			   "\n"
			   "Compiles each solution, runs it on many cases, compares every result with a\n"
			   "reference of higher precision, and times it on a large case (on a GPU).\n"
			   "\n"
			   "  gemmjudge judge solutions/gemm_f16/02_tiled.cu\n"
			   "  gemmjudge judge mine.cu --problem gemm-f16 --suite edges --json result.json\n";
	case COMMAND_BENCH:
		return "usage: gemmjudge bench FILE... [OPTION...]\n"
			   "\n"
			   "Times solutions side by side, in alternation with cuBLAS and cuBLASLt, over one\n"
			   "or several shapes. Needs a GPU. Results of the timed calls are checked.\n"
			   "\n"
			   "  gemmjudge bench a.cu b.cu --problem gemm-f16 --shape 4096x4096x4096\n";
	case COMMAND_COMPARE:
		return "usage: gemmjudge compare FILE... --epilogue CHAIN [OPTION...]\n"
			   "\n"
			   "Measures what fusing an epilogue into a kernel gains, in alternation: each file\n"
			   "with the epilogue fused and without any; cuBLAS and the best of cuBLASLt, each\n"
			   "with one more kernel for the epilogue; and cuBLASLt's own epilogue where it has\n"
			   "it. Needs a GPU. Without --shape or --suite: 8192x8192x8192, 8192x8192x1024,\n"
			   "then 4096x4096 with K from 64 to 8192.\n"
			   "\n"
			   "  gemmjudge compare solutions/gemm_f16/hopper.cu --epilogue bias,gelu \\\n"
			   "      --md result.md --svg result.svg\n";
	case COMMAND_LIST:
		return "usage: gemmjudge list [problems|suites|epilogues|solutions]\n"
			   "\n"
			   "Lists the problems with the signature of solve(), the suites of cases, the\n"
			   "stages of epilogues, and the solutions in the source tree.\n";
	case COMMAND_NEW:
		return "usage: gemmjudge new NAME [--problem P]\n"
			   "       gemmjudge new --epilogue NAME\n"
			   "\n"
			   "Writes a starter file: a correct, simple kernel with comments for someone new to\n"
			   "CUDA. A plain NAME becomes solutions/<folder of the problem>/NAME.cu in the\n"
			   "source tree; a NAME with a '/' is that file (./mine.cu). An existing file is\n"
			   "never overwritten.\n";
	case COMMAND_DOCTOR:
		return "usage: gemmjudge doctor\n"
			   "\n"
			   "Shows what this machine has, what it lacks, and what that costs. Exit status 0\n"
			   "when solutions can be judged on some device here, else 3.\n";
	}
	return "";
}

void help_command(enum command command, FILE *out)
{
	fprintf(out, "%s\n", head_of(command));
	options_help(command, out);
}
