// SPDX-License-Identifier: Apache-2.0
/* The thread that writes a recording, on files that stall (a pipe that nobody reads yet) and files that fail. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "lines.h"
#include "trace/perfetto/perfetto_out.h"
#include "trace/perfetto/perfetto_read.h"
#include "trace/perfetto/perfetto_write.h"

enum { MAX_BLOCKS = 5 };

struct stalled {
	int pipe[2];
	struct perfetto_file file;
	struct perfetto_queue *queue;
	struct perfetto_block block;
	uint64_t n_passed, n_read; /* bytes */
};

static void start(struct stalled *stalled)
{
	struct err err;

	*stalled = (struct stalled){ .block = { .data = malloc(PERFETTO_BLOCK), .size = PERFETTO_BLOCK } };
	assert_int_equal(pipe2(stalled->pipe, O_CLOEXEC), 0);
	/* less than a block: with pages of 64 KiB it would be four of them */
	assert_true(fcntl(stalled->pipe[1], F_SETPIPE_SZ, 64 << 10) < PERFETTO_BLOCK);
	assert_int_equal(perfetto_file_init(&stalled->file, stalled->pipe[1], false, &err), 0);
	stalled->queue = perfetto_queue_new(&stalled->file, MAX_BLOCKS, &err);
	assert_non_null(stalled->queue);
}

/* Fills the block and passes it on; whether the queue has taken it. */
static bool pass(struct stalled *stalled, bool must_wait)
{
	struct err err;

	memset(stalled->block.data, 7, stalled->block.size);
	stalled->block.len = stalled->block.size;
	assert_int_equal(perfetto_queue_pass(stalled->queue, &stalled->block, must_wait, &err), 0);
	stalled->n_passed += stalled->block.len ? 0 : stalled->block.size;
	return !stalled->block.len;
}

static void *read_on(void *ctx)
{
	struct stalled *stalled = ctx;
	char bytes[4096];
	ssize_t n;

	while ((n = read(stalled->pipe[0], bytes, sizeof bytes)) > 0)
		stalled->n_read += (uint64_t)n;
	return NULL;
}

static void stop(struct stalled *stalled, pthread_t reader)
{
	struct err err;

	assert_int_equal(perfetto_queue_wait(stalled->queue, &err), 0);
	assert_int_equal(perfetto_queue_bytes(stalled->queue), stalled->n_passed);
	perfetto_queue_free(stalled->queue);
	close(stalled->pipe[1]);
	pthread_join(reader, NULL);
	assert_int_equal(stalled->n_read, stalled->n_passed);
	close(stalled->pipe[0]);
	perfetto_file_done(&stalled->file);
	free(stalled->block.data);
}

TEST(file_that_stalls_keeps_nobody_until_the_queue_is_full)
{
	struct stalled stalled;
	pthread_t reader;

	start(&stalled);
	for (int i = 0; i < MAX_BLOCKS; i++)
		assert_true(pass(&stalled, false));
	/* the first one is being written still, because nobody reads: there is no room */
	assert_false(pass(&stalled, false));
	assert_int_equal(perfetto_queue_bytes(stalled.queue), 0);
	pthread_create(&reader, NULL, read_on, &stalled);
	for (int i = 0; i < 3 * MAX_BLOCKS; i++)
		assert_true(pass(&stalled, true));
	stop(&stalled, reader);
}

/* A flush every 100 ms hands over little: the file may stall for as long as the queue has bytes. */
TEST(small_blocks_do_not_fill_the_queue)
{
	struct stalled stalled;
	pthread_t reader;
	struct err err;

	start(&stalled);
	assert_true(pass(&stalled, false));
	for (int i = 0; i < 10 * MAX_BLOCKS; i++) {
		stalled.block.len = 10;
		assert_int_equal(perfetto_queue_pass(stalled.queue, &stalled.block, false, &err), 0);
		assert_int_equal(stalled.block.len, 10);
	}
	for (int i = 1; i < MAX_BLOCKS; i++)
		assert_true(pass(&stalled, false));
	pthread_create(&reader, NULL, read_on, &stalled);
	stop(&stalled, reader);
}

TEST(what_was_passed_on_is_written_at_the_end)
{
	struct stalled stalled;
	pthread_t reader;

	start(&stalled);
	for (int i = 0; i < MAX_BLOCKS; i++)
		assert_true(pass(&stalled, false));
	pthread_create(&reader, NULL, read_on, &stalled);
	perfetto_queue_free(stalled.queue);
	close(stalled.pipe[1]);
	pthread_join(reader, NULL);
	assert_int_equal(stalled.n_read, stalled.n_passed);
	close(stalled.pipe[0]);
	perfetto_file_done(&stalled.file);
	free(stalled.block.data);
}

static void put_instants(struct perfetto_writer *writer, struct lines *lines, uint32_t track, int n)
{
	struct event event = { EVENT_INSTANT, KIND_OPERATOR, .track = track };
	struct err err;

	for (int i = 0; i < n; i++) {
		event.time_ns = 1000000 + (uint64_t)i * 1000003;
		assert_int_equal(sink_put(perfetto_write_sink(writer), &event, &err), 0);
		assert_int_equal(sink_put(&lines->sink, &event, &err), 0);
		if (i % 5000 == 0)
			assert_int_equal(sink_flush(perfetto_write_sink(writer), &err), 0);
	}
}

static struct perfetto_writer *writer_to(int fd, struct lines *lines, bool compress)
{
	const struct perfetto_write_opts opts = { .compress = compress, .overwrites = true, .in_background = true };
	struct track_def def = { TRACK_LANE };
	struct event event = { EVENT_TRACK, .def = &def };
	struct perfetto_writer *writer;
	struct err err;

	lines_init(lines);
	writer = perfetto_write_new(fd, lines->sink.names, &lines->last_track, &opts, &err);
	assert_non_null(writer);
	event.track = sink_new_track(&lines->sink);
	assert_int_equal(sink_put(perfetto_write_sink(writer), &event, &err), 0);
	assert_int_equal(sink_put(&lines->sink, &event, &err), 0);
	return writer;
}

TEST(recording_written_in_the_background_is_whole)
{
	for (int compress = 0; compress < 2; compress++) {
		int fd = memfd_create("recording", MFD_CLOEXEC);
		struct perfetto_read_result result;
		struct lines written, got;
		struct perfetto_writer *writer = writer_to(fd, &written, compress);
		struct stat st;
		struct err err;
		void *data;
		put_instants(writer, &written, 1, 100000);
		assert_int_equal(sink_sync(perfetto_write_sink(writer), &err), 0);
		fstat(fd, &st);
		assert_int_equal(perfetto_write_sink(writer)->n_bytes, st.st_size);
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		lines_init(&got);
		assert_int_equal(perfetto_read(data, (size_t)st.st_size, &got.sink, &result, &err), 0);
		assert_false(result.is_cut);
		assert_same_lines(&written, &got);
		munmap(data, (size_t)st.st_size);
		assert_int_equal(perfetto_write_free(writer, &err), 0);
		close(fd);
		lines_done(&got);
		lines_done(&written);
	}
}

TEST(failure_of_the_file_comes_back_and_stays)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct lines lines;
	struct perfetto_writer *writer = writer_to(fd, &lines, true);
	struct err err = { 0 };

	put_instants(writer, &lines, 1, 1);
	assert_int_equal(sink_sync(perfetto_write_sink(writer), &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write the recording: No space left on device; free some room, or write "
				     "to another place with -o");
	assert_int_equal(sink_flush(perfetto_write_sink(writer), &err), -ENOSPC);
	assert_int_equal(perfetto_write_free(writer, &err), -ENOSPC);
	close(fd);
	lines_done(&lines);
}
