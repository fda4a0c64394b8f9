/* What messages and counters call a kernel. */
#ifndef EMULATOR_EXEC_KERNEL_NAME_H
#define EMULATOR_EXEC_KERNEL_NAME_H

#include <stddef.h>

#define KERNEL_NAME_SHOWN 160 /* bytes that are enough for most, with the NUL */

/* "gemm<128, 64>" for the symbol _Z4gemmILi128ELi64EEvPf: without result, parameters and
 * anonymous namespaces. A symbol that is not mangled stays as it is, and so do all where the
 * process has no C++ library, whose function this needs. */
void kernel_name_show(const char *symbol, char *out, size_t size);

/* Shortens a name that was demangled already, in its own place, as kernel_name_show() does. Of one
 * that does not fit into `size` bytes template lists become "<...>", the innermost first; one that
 * is too long even so is cut. */
void kernel_name_shorten(char *demangled, char *out, size_t size);

#endif
