// SPDX-License-Identifier: Apache-2.0
/* Perfetto protobuf traces, of inftrace and other programs. Recognises them; perfetto_read.c reads them. */
#include "base/pb.h"
#include "trace/import/importer.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_read.h"

enum { MAX_FIELD = 2000, TEXT_BYTES = 64 };

/* A line break can begin a text or a packet: 64 bytes without a binary one are text. */
static bool is_text(const char *first, size_t size)
{
	for (size_t i = 0; i < size && i < TEXT_BYTES; i++)
		if ((first[i] < ' ' && first[i] != '\n' && first[i] != '\r' && first[i] != '\t') || first[i] == 0x7f)
			return false;
	return size > 1;
}

/* The first field is a packet, and the packet's first field is one that Perfetto could have. */
static bool sniff(const char *first, size_t size)
{
	struct pb_in in = pb_in(first, size);
	uint64_t tag, len, inner, inner_len;

	if (!size || !pb_get_varint(&in, &tag) || tag != PB_TAG(TRACE_PACKET, PB_BYTES) || is_text(first, size))
		return false;
	if (!pb_get_varint(&in, &len) || !len || !pb_get_varint(&in, &inner))
		return true; /* cut off, or an empty packet */
	if (!(inner >> 3) || inner >> 3 > MAX_FIELD)
		return false;
	if ((inner & 7) == PB_BYTES)
		return !pb_get_varint(&in, &inner_len) || inner_len <= len;
	return (inner & 7) == PB_VARINT || (inner & 7) == PB_FIXED64 || (inner & 7) == PB_FIXED32;
}

static int read(const struct import_bytes *in, struct sink *out, struct import_result *result, struct err *err)
{
	struct perfetto_read_result found;
	int code;

	result->at = &found.at;
	code = perfetto_read(in->data, in->size, out, &found, err);
	result->at = NULL;
	result->is_cut = found.is_cut;
	result->cut_at = found.cut_at;
	result->n_late = found.n_late;
	result->has_realtime = found.has_realtime;
	result->realtime_ns = found.realtime_ns;
	result->realtime_is = "its clock snapshot";
	return code;
}

const struct importer import_perfetto = {
	.name = "perfetto",
	.help = "recording of inftrace, or another Perfetto trace",
	.sniff = sniff,
	.read = read,
};
