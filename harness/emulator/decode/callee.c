/* What a call names: its parts, and the functions that a call through a pointer may reach. */
#include "emulator/decode/decoder.h"

#include <string.h>

/* call{.uni} {(results),} target{, (arguments)}{, table or prototype} */
struct decode_call decode_call_of(const struct ptx_function *caller,
								  const struct ptx_instruction *in)
{
	struct decode_call call = {0};
	const struct ptx_operand *at = in->operands, *end = at + in->operand_count;
	if (at < end && at->kind == PTX_OP_LIST)
		call.results = at++;
	if (at < end)
		call.target = at++;
	if (at < end && at->kind == PTX_OP_LIST)
		call.arguments = at++;
	for (uint32_t i = 0; at < end && at->name != NULL && i < caller->table_count; i++)
		if (strcmp(caller->tables[i].name, at->name) == 0)
			call.table = &caller->tables[i];
	return call;
}

static bool same_sizes(const struct ptx_variable *formal, const struct ptx_operand *list)
{
	for (uint32_t i = 0; list != NULL && i < list->count; i++, formal = formal->next)
		if (formal == NULL || list->items[i].kind != PTX_OP_VARIABLE ||
			list->items[i].variable->size != formal->size)
			return false;
	return formal == NULL;
}

static bool is_listed(const struct ptx_branch_table *table, const struct ptx_function *function)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->targets[i].kind == PTX_OP_FUNCTION && table->targets[i].function == function)
			return true;
	return false;
}

bool decode_call_may_reach(const struct decode_call *call, const struct ptx_function *function)
{
	if (!function->has_body || function->is_entry ||
		!(call->table != NULL ? is_listed(call->table, function) : function->address_taken))
		return false;
	return same_sizes(function->parameters, call->arguments) &&
		   same_sizes(function->results, call->results);
}
