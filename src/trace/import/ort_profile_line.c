// SPDX-License-Identifier: Apache-2.0
/* The arguments of an event of ONNX Runtime's profile that are used. Copies nothing: it keeps where they are. */
#include "trace/import/ort_profile_in.h"

void ort_profile_line_clear(struct ort_profile_line *line)
{
	*line = (struct ort_profile_line){
		.category = { "", 0 }, .name = { "", 0 }, .ts = -1, .dur = -1, .bytes = -1, .pid = -1, .tid = -1
	};
}

static void add_bytes(struct ort_profile_line *line, struct json_span value)
{
	int64_t bytes;

	if (!json_span_int(value, &bytes) || bytes < 0 || bytes > INT64_MAX / 4)
		return;
	line->bytes = line->bytes < 0 ? bytes : line->bytes + bytes;
}

/* By the length of the key first: of 17 arguments, most are not used. */
static void take_text(struct ort_profile_line *line, struct json_span key, struct json_span value)
{
	int64_t number;

	switch (key.len) {
	case 2: /* ep */
	case 8: /* provider */
		if (json_span_is(key, "provider") || json_span_is(key, "ep"))
			line->provider = value;
		break;
	case 6:
		if (json_span_is(key, "stream"))
			line->stream = value;
		break;
	case 7: /* op_name */
	case 12:
		if (json_span_is(key, "op_name") || json_span_is(key, "ov_node_type"))
			line->op_type = value;
		else if (json_span_is(key, "ov_exec_type"))
			line->implementation = value;
		break;
	case 11: /* output_size */
	case 14: /* parameter_size */
	case 15:
		if (json_span_is(key, "activation_size") || json_span_is(key, "parameter_size") ||
		    json_span_is(key, "output_size"))
			add_bytes(line, value);
		else if (json_span_is(key, "parent_name"))
			line->operator = value;
		else if (json_span_is(key, "mem_in_use_peak"))
			line->has_memory = true;
		break;
	case 18:
		if (json_span_is(key, "ort_correlation_id") && json_span_int(value, &number))
			line->correlation = (uint64_t)number;
		break;
	case 21:
		if (json_span_is(key, "parent_ort_event_name"))
			line->operator = value;
		break;
	default:
		break;
	}
}

void ort_profile_take_arg(struct ort_profile_line *line, struct json_span key, struct json_span value, bool is_text)
{
	if (is_text)
		take_text(line, key, value);
	else if (json_span_is(key, "input_type_shape") && *value.start == '[')
		line->inputs = value;
	else if (json_span_is(key, "output_type_shape") && *value.start == '[')
		line->outputs = value;
}
