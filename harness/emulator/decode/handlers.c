/* The tables of handlers that opcodes.def makes. */
#include "emulator/decode/handlers.h"

#include "emulator/exec/fault.h"
#include "emulator/simd_level.h"

#define DECLARE(function)                                                                          \
	enum exec_status op_##function(struct warp *warp, const struct exec_instruction *in,           \
								   uint32_t mask);
#define LEVELLED(operation, form, function, class)                                                 \
	DECLARE(function##_v2) DECLARE(function##_v3) DECLARE(function##_v4)
#define ONCE(operation, form, function, class) DECLARE(function)
#include "emulator/ptx/opcodes.def"

static const exec_handler functions[HANDLERS][SIMD_LEVELS] = {
	{exec_unsupported, exec_unsupported, exec_unsupported},
#define LEVELLED(operation, form, function, class) {SIMD_OF_LEVELS(op_##function)},
#define ONCE(operation, form, function, class) {op_##function, op_##function, op_##function},
#include "emulator/ptx/opcodes.def"
};

static const uint8_t classes[HANDLERS] = {
	CLASS_OTHER,
#define LEVELLED(operation, form, function, class) CLASS_##class,
#define ONCE(operation, form, function, class) CLASS_##class,
#include "emulator/ptx/opcodes.def"
};

static const uint16_t handlers[OPERATIONS][FORMS] = {
#define ROW(operation, form) [OP_##operation][FORM_##form] = HANDLER_##operation##_##form,
#define LEVELLED(operation, form, function, class) ROW(operation, form)
#define ONCE(operation, form, function, class) ROW(operation, form)
#include "emulator/ptx/opcodes.def"
};

enum handler handler_find(enum handler_operation operation, enum handler_form form)
{
	return (enum handler)handlers[operation][form];
}

bool handler_exists(enum handler_operation operation, enum handler_form form)
{
	return handlers[operation][form] != HANDLER_UNSUPPORTED;
}

exec_handler handler_function(enum handler handler, int level)
{
	return functions[handler][level - 2];
}

enum instruction_class handler_class(enum handler handler)
{
	return (enum instruction_class)classes[handler];
}
