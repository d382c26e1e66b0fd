// SPDX-License-Identifier: Apache-2.0
/*
 * Functions defined in the model: finds the one that a node calls, passes the inputs of the call, and infers its body.
 */
#include <stdio.h>
#include <string.h>

#include "model/onnx/onnx_shape_in.h"

enum { MAX_KEY = 600 };

/* Writes the key of a function. false: too long to exist. */
static bool put_key(char *key, const char *domain, const char *name, const char *overload)
{
	return snprintf(key, MAX_KEY, "%s\n%s\n%s", domain, name, overload) < MAX_KEY;
}

void shape_find_functions(struct shape_engine *engine)
{
	const struct onnx_model *model = engine->model->model;
	char key[MAX_KEY], *copy;

	engine->functions.arena = &engine->model->arena;
	for (uint32_t i = 0; i < model->n_functions; i++) {
		const struct onnx_function *function = &model->functions[i];

		if (!put_key(key, function->domain, function->name, function->overload) ||
		    onnx_map_get(&engine->functions, key))
			continue;
		copy = shape_alloc(engine, strlen(key) + 1, 1);
		if (!copy || onnx_map_put(&engine->functions, strcpy(copy, key), (void *)function))
			engine->is_out_of_memory = true;
	}
}

const struct onnx_function *shape_function_of(struct shape_engine *engine, const struct onnx_node *node)
{
	char key[MAX_KEY];

	return engine->functions.n && put_key(key, node->domain, node->op_type, node->overload)
		   ? onnx_map_get(&engine->functions, key)
		   : NULL;
}

/* Infers the body of a function with the inputs of this call. */
void shape_call(const struct shape_run *run, const struct onnx_function *function)
{
	struct shape_scope *scope = shape_scope_new(run->engine, NULL, function, NULL, run->scope->depth + 1);

	if (!scope)
		return;
	scope->caller = run->scope;
	scope->call = run->node;
	scope->n_inputs = function->n_inputs;
	scope->inputs = shape_alloc(run->engine, function->n_inputs, sizeof *scope->inputs);
	for (uint32_t i = 0; scope->inputs && i < function->n_inputs; i++) {
		struct shape_value *value = i < run->node->n_inputs ? run->at->inputs[i] : NULL;

		if (!value) {
			value = shape_alloc(run->engine, 1, sizeof *value);
			if (value)
				*value = (struct shape_value){ .name = function->inputs[i], .is_absent = true };
		}
		scope->inputs[i] = value;
		if (!value || onnx_map_put(&scope->values, function->inputs[i], value)) {
			run->engine->is_out_of_memory = true;
			return;
		}
	}
	shape_scope_infer(run->engine, scope);
	shape_keep_bodies(run, scope, NULL);
	for (uint32_t o = 0; scope->outputs && o < run->node->n_outputs && o < scope->n_outputs; o++) {
		struct shape_value *to = run->at->outputs[o], *from = scope->outputs[o];

		if (!to || !from)
			continue;
		to->type = from->type;
		to->elems = from->elems;
		to->n_elems = from->n_elems;
		to->is_constant = from->is_constant;
	}
}

const struct onnx_attr *onnx_shape_attr(const struct shape_scope *scope, const struct onnx_node *node, const char *name)
{
	const struct onnx_attr *attr = onnx_attr_find(node, name), *given;

	while (attr && *attr->ref_name) {
		while (scope && !scope->function)
			scope = scope->outer;
		if (!scope)
			return NULL;
		given = onnx_attr_find(scope->call, attr->ref_name);
		for (uint32_t i = 0; !given && i < scope->function->n_defaults; i++) {
			if (!strcmp(scope->function->defaults[i].name, attr->ref_name))
				return *scope->function->defaults[i].ref_name ? NULL : &scope->function->defaults[i];
		}
		attr = given;
		scope = scope->caller;
	}
	return attr;
}
