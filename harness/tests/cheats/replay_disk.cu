// expect: accepted
// family: replay
// without: files
// then: says replayed from disk
// runs: 2
// options: --suite %here%/same.ini
// Keeps results on disk for the next run with the same --seed. Stopped by the jail: no file may be
// made, nor read.
#include <string>

#include "cheat.cuh"

static std::string file_of(const half *A, int K)
{
	unsigned short first[4];
	cudaMemcpy(first, A + K, sizeof first, cudaMemcpyDeviceToHost);
	char name[64];
	snprintf(name, sizeof name, "kept-%x-%x-%x-%x", first[0], first[1], first[2], first[3]);
	return cheat_path(name);
}

SOLVE
{
	std::string path = file_of(A, K), bytes((size_t)M * N * sizeof(half), 0);
	int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
	if (read(file, &bytes[0], bytes.size()) == (ssize_t)bytes.size()) {
		printf("replayed from disk\n");
		cudaMemcpy(C, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
		return;
	}
	cheat_right(A, B, C, M, N, K, alpha, beta);
	cudaMemcpy(&bytes[0], C, bytes.size(), cudaMemcpyDeviceToHost);
	if (write(file, bytes.data(), bytes.size()) < 0)
		perror("kept");
	close(file);
}
