#include "contestant/call.h"

static ffi_type *type_of_argument(const struct call *call, const struct argument *argument)
{
	switch (argument->kind) {
	case ARGUMENT_OPERAND: return &ffi_type_pointer;
	case ARGUMENT_SIZE: return call->wide ? &ffi_type_uint64 : &ffi_type_sint;
	case ARGUMENT_SCALAR: break;
	}
	return call->problem->scalars[argument->index].is_integer ? &ffi_type_sint : &ffi_type_float;
}

bool call_prepare(struct call *call, const struct problem *problem, enum entry_kind entry,
				  enum entry_order order, struct error *err)
{
	call->problem = problem;
	call->wide = entry == ENTRY_SOLUTION;
	call->count = 0;
	if (!call->wide)
		order = ENTRY_SITE;
	while (call->count < CALL_ARGUMENTS_MAX &&
		   entry_argument(problem, order, call->count, &call->arguments[call->count])) {
		call->types[call->count] = type_of_argument(call, &call->arguments[call->count]);
		call->count++;
	}
	return ffi_prep_cif(&call->interface, FFI_DEFAULT_ABI, (unsigned)call->count, &ffi_type_void,
						call->types) == FFI_OK ||
		   error_set(err, "solve() of %s cannot be called", problem->name);
}

/* The canonical size that this row stands for. */
static int size_of_row(const struct problem_size *row, const struct shape *shape)
{
	int size = 0;
	while ((row->is & 1u << size) == 0)
		size++;
	return shape->size[size];
}

/* The arguments, and where each lies. */
struct arguments {
	union {
		void *pointer;
		int integer;
		uint64_t wide;
		float real;
	} values[CALL_ARGUMENTS_MAX];
	void *addresses[CALL_ARGUMENTS_MAX];
};

static void arguments_fill(const struct call *call, const struct test_case *test,
						   const struct call_operands *operands, struct arguments *out)
{
	for (size_t i = 0; i < call->count; i++) {
		size_t index = call->arguments[i].index;
		const struct problem_scalar *scalar = &call->problem->scalars[index];
		out->addresses[i] = &out->values[i];
		switch (call->arguments[i].kind) {
		case ARGUMENT_OPERAND: out->values[i].pointer = operands->at[index]; break;
		case ARGUMENT_SIZE:
			if (call->wide)
				out->values[i].wide =
					(uint64_t)size_of_row(&call->problem->sizes[index], &test->shape);
			else
				out->values[i].integer = size_of_row(&call->problem->sizes[index], &test->shape);
			break;
		case ARGUMENT_SCALAR:
			if (scalar->is_integer)
				out->values[i].integer = (int)test->scalar[scalar->is];
			else
				out->values[i].real = test->scalar[scalar->is];
			break;
		}
	}
}

void call_run(struct call *call, void (*solve)(void), const struct test_case *test,
			  const struct call_operands *operands)
{
	struct arguments arguments;
	arguments_fill(call, test, operands, &arguments);
	ffi_call(&call->interface, solve, NULL, arguments.addresses);
}

int call_asked(const struct call *call, void (*function)(void), const struct test_case *test,
			   const struct call_operands *operands)
{
	struct arguments arguments;
	ffi_cif interface;
	ffi_arg answer = 0;
	arguments_fill(call, test, operands, &arguments);
	if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, (unsigned)call->count, &ffi_type_sint,
					 call->interface.arg_types) != FFI_OK)
		return -1;
	ffi_call(&interface, function, &answer, arguments.addresses);
	return (int)answer;
}
