// SPDX-License-Identifier: Apache-2.0
/* Facts on their way from the agent to the recorder: in order, each once, in memory that does not grow with them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/agent/agent.h"
#include "capture/agent/dict.h"
#include "capture/decode/segment.h"
#include "cases.h"

static char dir[] = "/tmp/inftrace-facts-XXXXXX";

static void forked(bool has_segment)
{
}

static void ended(void)
{
}

static bool is_over(void)
{
	return false;
}

static const struct agent_edges edges = { forked, ended, is_over };

struct reader {
	struct segment_map map;
	struct names *names;
	int64_t n; /* facts read */
};

/* Each has its number as its value, and one of 1,000 names. */
static void tell(int64_t number)
{
	char name[32];
	int n = snprintf(name, sizeof name, "model %d", (int)(number % 1000));

	(void)n;
	dict_session(&(struct dict_session){ (uint32_t)number, name, "/models/one.onnx", "CPUExecutionProvider", number,
					     0x7f0012345678 + number });
}

static void read_all(struct reader *reader)
{
	struct segment_entry entry;
	char name[32];

	while (segment_next(&reader->map, &entry)) {
		assert_int_equal(entry.kind, DICT_SESSION);
		assert_int_equal(entry.value, ++reader->n);
		assert_int_equal(entry.id, reader->n);
		snprintf(name, sizeof name, "model %d", (int)(reader->n % 1000));
		assert_string_equal(names_text(reader->names, entry.text[0]), name);
		assert_string_equal(names_text(reader->names, entry.text[1]), "/models/one.onnx");
		assert_int_equal(entry.object, 0x7f0012345678 + reader->n);
	}
}

static int start(void **state)
{
	struct agent_settings settings = { mkdtemp(dir), LEVEL_OPERATOR, 1 << 20, false };

	agent_at_edges(&edges);
	if (!agent_set_up())
		return -1;
	agent_set(&settings);
	return 0;
}

static int stop(void **state)
{
	return rmdir(dir);
}

/* A segment of its own for each test. */
static int begin(void **state)
{
	static struct reader reader;
	struct err err;

	if (!(agent.segment ? agent_restart() : agent_enter_process()))
		return -1;
	memset(&reader, 0, sizeof reader);
	reader.names = names_new();
	*state = &reader;
	return segment_open(&reader.map, agent.path, reader.names, &err);
}

static int end(void **state)
{
	struct reader *reader = *state;

	segment_close(&reader->map);
	names_free(reader->names);
	return unlink(agent.path);
}

#define CASE(name) TEST_FROM(name, struct reader, reader, begin, end)

CASE(facts_without_end_take_no_more_room)
{
	uint64_t before = 0;

	for (int64_t number = 1; number <= 3000000; number++) {
		tell(number);
		if (number % 1000 == 0)
			read_all(reader);
		if (number == 10000)
			before = agent.segment->dict_end;
	}
	read_all(reader);
	assert_int_equal(reader->n, 3000000);
	assert_in_range(before, 1, 256 << 10);
	assert_int_equal(agent.segment->dict_end, before);
	assert_int_equal(agent.segment->dict_lost + reader->map.n_nonsense, 0);
}

CASE(a_reader_that_is_late_misses_none_and_keeps_the_order)
{
	int64_t number = 0;
	unsigned seed = 1;

	for (int pause = 0; pause < 300; pause++) {
		for (int n = rand_r(&seed) % (pause % 4 ? 1500 : 5000); n >= 0; n--)
			tell(++number);
		read_all(reader);
		assert_int_equal(reader->n, number);
	}
	assert_true(agent.segment->facts_end > 0 && (int64_t)agent.segment->facts_end < number);
	assert_int_equal(agent.segment->dict_lost + reader->map.n_nonsense, 0);
}

enum { BESIDE = 500000 };

static void *tell_many(void *unused)
{
	for (int64_t number = 1; number <= BESIDE; number++)
		tell(number);
	return NULL;
}

CASE(a_reader_beside_the_writer_gets_each_once_and_in_order)
{
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, tell_many, NULL), 0);
	while (reader->n < BESIDE && !agent.segment->dict_lost)
		read_all(reader);
	pthread_join(writer, NULL);
	read_all(reader);
	assert_int_equal(reader->n, BESIDE);
	assert_int_equal(agent.segment->dict_lost + reader->map.n_nonsense, 0);
}

TEST_GROUP(start, stop)
