/* Faults: what went wrong, and where, in one line. */
#ifndef EMULATOR_EXEC_FAULT_H
#define EMULATOR_EXEC_FAULT_H

#include "emulator/exec/warp.h"

/* Where an instruction stands, as findings name it, into `text`, which is returned:
 * "st.shared.f32 at file.cu:42" when compiled with -lineinfo, else "... at PTX line 42".
 * For the other side of a finding, too. */
#define EXEC_PLACE 200
const char *exec_place(const struct warp *warp, const struct exec_instruction *in,
					   char text[EXEC_PLACE]) __attribute__((cold));
/* As exec_place() for an instruction of any program. */
const char *exec_program_place(const struct exec_program *program, uint32_t pc,
							   char text[EXEC_PLACE]) __attribute__((cold));
/* Its file and line, "file.cu:42"; "" without -lineinfo. */
void exec_source(const struct exec_origin *origin, char *out, size_t size);
/* Whether a shared variable has a larger alignment than the address at which its GPU's shared
 * memory begins, so that it lies at no multiple of it; and what to do where an access goes wrong.
 */
static inline bool exec_shared_shifted(const struct exec_program *program)
{
	return program->shared_align && program->shared_base % program->shared_align;
}
#define ADVICE_ALIGN                                                                               \
	"shared memory begins at 0x400 on this GPU, so that an array whose alignment is above 1024 "   \
	"lies at no multiple of it: switch buffers by an offset from the array, not by xor of "        \
	"addresses"
/* Fills the worker's fault; always EXEC_FAULT. lane < 0: the first active one. */
enum exec_status exec_fail(struct warp *warp, const struct exec_instruction *in, int lane,
						   enum fault_kind kind, uint64_t address, const char *format, ...)
	__attribute__((format(printf, 6, 7), cold));
/* As exec_fail() for what the GPU carries out and PTX leaves undefined. EXEC_NEXT, and no fault,
 * when the launch does not look for such (check_none): the caller goes on. */
enum exec_status exec_fail_undefined(struct warp *warp, const struct exec_instruction *in, int lane,
									 enum fault_kind kind, uint64_t address, const char *format,
									 ...) __attribute__((format(printf, 6, 7), cold));
/* What PTX allows and is seldom meant, and what to do: kept, the launch's first, for the case that
 * nothing else says why a result is wrong. */
void exec_suspect(const struct warp *warp, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));
/* For an address in no allocation, or past its end. */
enum exec_status exec_fail_address(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t address, size_t size, bool write) __attribute__((cold));
enum exec_status exec_unsupported(struct warp *warp, const struct exec_instruction *in,
								  uint32_t mask);

#endif
