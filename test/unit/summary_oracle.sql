-- The figures of a report, computed from slices, instants, samples and tracks of the recording, which
-- summary_stream_test.c copies. `part` and `loose` get objects that the report must contain; `differ` lists what it
-- says otherwise. Serves only what random recordings of that test contain: no halts, and sessions with numbers.

CREATE TABLE got AS
SELECT replace(fullkey, '"', '') path, atom value FROM report, json_tree(report) WHERE type <> 'object'
UNION ALL
SELECT replace(fullkey, '"', '') || '.n', json_array_length(value) FROM report, json_tree(report) WHERE type = 'array'
UNION ALL
SELECT 'inside' || substr(replace(fullkey, '"', ''), 2), atom FROM report, json_tree(inside) WHERE type <> 'object'
UNION ALL
SELECT 'inside' || substr(replace(fullkey, '"', ''), 2) || '.n', json_array_length(value) FROM report,
	json_tree(inside)
WHERE type = 'array';
CREATE INDEX got_path ON got(path);
CREATE TABLE part(path, object);
CREATE TABLE loose(path, object, slack); -- figures that may be off by so much
CREATE TABLE measured(path, ns);		  -- what a spread is of

CREATE TABLE s AS
SELECT id, kind, name, begin_ns b, end_ns e, parent_id parent, process_id process, track_id track, tid,
	inference number, args ->> 'session' session, args ->> 'status' status, args
FROM slices;
CREATE INDEX s_parent ON s(parent);
CREATE TABLE process AS SELECT id, pid, name FROM tracks WHERE type = 'process';
CREATE TABLE bound AS
SELECT min(ns) first, max(ns) last
FROM (SELECT begin_ns ns FROM slices UNION ALL SELECT end_ns FROM slices UNION ALL SELECT time_ns FROM instants
	UNION ALL SELECT time_ns FROM samples);
CREATE TABLE note AS
SELECT rowid at, process_id process, name topic, args ->> 'model' name, args ->> 'session' session,
	args ->> 'providers' providers, args ->> 'bytes' bytes
FROM instants WHERE kind = 'note';

-- Inferences: one inside another belongs to it, as the end of the outer one is missing.
CREATE TABLE run AS
SELECT s.id, s.name, s.b, s.e, coalesce(s.e, last) till, s.process, s.track, s.number, s.tid, s.session,
	s.status, s.args,
	ifnull(s.status <> 'ok', 0) failed, ifnull(s.args ->> 'first', 0) first,
	s.e IS NOT NULL AND ifnull(s.args ->> 'partial', 0) = 0 done,
	ifnull(s.args ->> 'run_queue_ns', 0) queue, s.e - s.b ns,
	row_number() OVER (PARTITION BY s.process, s.number ORDER BY s.id) nth
FROM s LEFT JOIN s around ON around.id = s.parent JOIN bound
WHERE s.kind = 'inference' AND around.kind IS NOT 'inference';
ALTER TABLE run ADD typical;
UPDATE run SET typical = done AND NOT failed AND NOT first;
CREATE INDEX run_number ON run(process, number);
CREATE INDEX run_id ON run(id);

-- One that runs within another on the same thread is a part of that one's time, not its own.
CREATE INDEX run_thread ON run(process, tid, b);
CREATE TABLE within AS
SELECT child.id child, (
	SELECT id FROM run o
	WHERE o.process = child.process AND o.tid = child.tid AND o.b < child.b AND o.till > child.b
	ORDER BY o.b DESC, o.id DESC LIMIT 1) around
FROM run child WHERE tid > 0;
ALTER TABLE run ADD inner;
UPDATE run SET inner = ifnull((
	SELECT sum(child.till - child.b) FROM within JOIN run child ON child.id = within.child
	WHERE within.around = run.id AND child.till <= run.till AND (child.done OR child.e IS NULL)), 0);

-- Sessions and models. A session of which only the name is known joins the first model of that name.
CREATE TABLE session AS
WITH one AS (
	SELECT process, session, name FROM s WHERE kind = 'session' UNION SELECT process, session, name FROM run
	UNION SELECT process, session, name FROM note WHERE topic = 'created')
SELECT one.process, one.session, one.name, made.id slice, made.b, made.e, made.status, created.bytes,
	created.at noted,
	coalesce(created.providers, (
		SELECT providers FROM note WHERE topic = 'created' AND process = one.process AND name = one.name
		ORDER BY at LIMIT 1)) providers, ifnull(made.status <> 'ok', 0) failed
FROM one LEFT JOIN s made ON made.kind = 'session' AND made.process = one.process AND made.session = one.session
LEFT JOIN note created ON created.topic = 'created' AND created.process = one.process
	AND created.session = one.session;
CREATE TABLE model AS
SELECT key k, '$.models[' || key || ']' path, process.id process, value ->> 'name' name,
	value ->> 'providers_asked_for' providers
FROM report, json_each(report, '$.models') JOIN process ON pid = value ->> 'pid';
ALTER TABLE session ADD k;
UPDATE session SET k = (
	SELECT k FROM model
	WHERE model.process = session.process AND model.name = session.name AND model.providers IS session.providers);
ALTER TABLE session ADD path;
UPDATE session SET path = '$.models[' || k || '].sessions[' || (
	SELECT count(*) FROM session before WHERE before.k = session.k AND ifnull(before.b,
	0) < ifnull(session.b, 0)) || ']';
CREATE INDEX session_number ON session(process, session);
ALTER TABLE run ADD k;
UPDATE run SET k = (SELECT k FROM session WHERE process = run.process AND session = run.session);
CREATE INDEX run_model ON run(k);
INSERT INTO part SELECT '$.models', json_object('n', count(*)) FROM (SELECT DISTINCT process, name, providers
	FROM session);
INSERT INTO part
SELECT path || '.sessions', json_object('n', (SELECT count(*) FROM session WHERE session.k = model.k)) FROM model;
INSERT INTO part
SELECT path, json_object('bytes', (
	SELECT bytes FROM session WHERE session.k = model.k AND noted IS NOT NULL ORDER BY noted LIMIT 1)) FROM model;

-- Times in which something ran: stretches of overlapping slices, and how much of them lies before each.
CREATE TABLE busy AS
WITH span AS (
	SELECT process, b, till e FROM run UNION ALL SELECT 'all', b, till FROM run
	UNION ALL SELECT 'taken', b, till FROM run
	UNION ALL SELECT 'taken', b, coalesce(e, last) FROM session, bound WHERE slice IS NOT NULL
), fresh AS (
	SELECT process, b, e, b > ifnull(max(e) OVER (
		PARTITION BY process ORDER BY b, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1) is_new
	FROM span
), numbered AS (
	SELECT process, b, e, sum(is_new) OVER (PARTITION BY process ORDER BY b, e ROWS UNBOUNDED PRECEDING) at
	FROM fresh
), joined AS (SELECT process, min(b) b, max(e) e FROM numbered GROUP BY process, at)
SELECT process, b, e, sum(e - b) OVER (PARTITION BY process ORDER BY b) - (e - b) before FROM joined;
CREATE INDEX busy_at ON busy(process, b);

CREATE TABLE total AS
SELECT last - first wall, ifnull((SELECT sum(e - b) FROM busy WHERE process = 'all'), 0) busy,
	ifnull((SELECT sum(e - b) FROM busy WHERE process = 'taken'), 0) taken FROM bound;
INSERT INTO part
SELECT '$.recording.time',
	json_object('wall_ns', wall, 'inferences_ns', busy, 'creating_ns', taken - busy, 'outside_ns',
	wall - taken) FROM total;
INSERT INTO loose
WITH of_model AS (
	SELECT sum(ns - inner) FILTER (WHERE done) + ifnull(sum(till - b - inner) FILTER (WHERE e IS NULL), 0) wall,
		sum(ns - inner) FILTER (WHERE done AND first AND NOT failed) first,
		sum(ns - inner) FILTER (WHERE typical) typical,
		sum(queue) FILTER (WHERE typical AND args ->> 'run_queue_ns' IS NOT NULL) queue,
		sum(ns) FILTER (WHERE typical AND args ->> 'run_queue_ns' IS NOT NULL) of,
		count(*) FILTER (WHERE typical AND args ->> 'run_queue_ns' IS NOT NULL) * 2 >=
		count(*) FILTER (WHERE typical) knows
	FROM run GROUP BY k
), of_all AS (
	SELECT sum(wall) * 1.0 wall, sum(first) first,
	sum(CASE WHEN knows THEN queue * 1.0 / of * typical END) waiting
	FROM of_model)
SELECT '$.recording.time', json_object('first_ns', busy * ifnull(first, 0) / of_all.wall,
	'waiting_ns', busy * ifnull(waiting, 0) / of_all.wall), 1
FROM of_all, total WHERE of_all.wall > 0;
INSERT INTO part
WITH parts AS (SELECT report -> '$.recording.time' time FROM report)
SELECT '$.recording.time', json_object('largest', (
	SELECT cause FROM (
		SELECT 1 at, 'outside' cause, time ->> 'outside_ns' ns UNION ALL SELECT 2, 'creating',
		time ->> 'creating_ns'
		UNION ALL SELECT 3, 'first', time ->> 'first_ns' UNION ALL SELECT 4, 'waiting', time ->> 'waiting_ns'
		UNION ALL SELECT 5, 'running',
		(time ->> 'inferences_ns') - (time ->> 'first_ns') - (time ->> 'waiting_ns'))
	ORDER BY ns DESC, at LIMIT 1))
FROM parts WHERE time IS NOT NULL;

CREATE TABLE gap AS
SELECT b, e, e - b ns, (
	SELECT before + min(busy.e, gap.e) - busy.b FROM busy
	WHERE process = 'taken' AND busy.b < +gap.e ORDER BY busy.b DESC LIMIT 1) - (
	SELECT before + min(busy.e, gap.b) - busy.b FROM busy
	WHERE process = 'taken' AND busy.b < +gap.b ORDER BY busy.b DESC LIMIT 1) creating
FROM (SELECT e b, lead(b) OVER (ORDER BY b) e FROM busy WHERE process = 'all') gap WHERE e IS NOT NULL;
INSERT INTO part
SELECT '$.recording.gaps',
	json_object('count', count(*), 'total_ns', ifnull(sum(ns), 0), 'creating_ns', ifnull(sum(creating), 0))
	FROM gap;
INSERT INTO part
SELECT '$.recording.gaps.lengths[' || at || ']', json_object('count', count(ns), 'total_ns', ifnull(sum(ns), 0),
	'creating_ns', ifnull(sum(creating), 0))
FROM (SELECT key at, value least, lead(value) OVER (ORDER BY key) below
	FROM json_each('[0, 10000, 100000, 1000000, 10000000, 100000000, 1000000000]'))
LEFT JOIN gap ON ns >= least AND (at = 6 OR ns < below) GROUP BY at;
INSERT INTO part
SELECT '$.recording.gaps.longest[' || (row_number() OVER (ORDER BY ns DESC, b) - 1) || ']',
	json_object('begin_at_ns', b - first, 'length_ns', ns, 'creating_ns', creating)
FROM gap, bound ORDER BY ns DESC, b LIMIT 5;

INSERT INTO part SELECT '$.recording.gaps.longest', json_object('n', min(count(*), 5)) FROM gap;

INSERT INTO part
SELECT '$.processes[' || (row_number() OVER (ORDER BY id) - 1) || ']', json_object('pid', pid, 'name', name,
	'sessions', (SELECT count(*) FROM session WHERE session.process = process.id),
	'inferences', (SELECT count(*) FROM run WHERE run.process = process.id))
FROM process;

-- Creations: a slice's own time belongs to its phase.
CREATE TABLE phase AS
WITH RECURSIVE inside AS (
	SELECT id, id slice, 0 depth FROM s WHERE kind = 'session'
	UNION ALL SELECT s.id, slice, depth + 1 FROM inside JOIN s ON s.parent = inside.id)
SELECT slice, s.kind, s.name, s.args ->> 'modified' modified, s.args ->> 'count' amount,
	s.e - s.b - ifnull((SELECT sum(e - b) FROM s child WHERE child.parent = s.id), 0) ns,
	CASE WHEN depth = 0 THEN 'unattributed' WHEN kind = 'load' THEN 'load'
	WHEN kind = 'phase' THEN CASE name WHEN 'plan memory' THEN 'plan_memory' WHEN 'pre-pack weights' THEN 'prepack'
		WHEN 'resolve graph' THEN 'resolve_graph' WHEN 'finish session' THEN 'set_up' ELSE 'other' END
	WHEN name LIKE 'partition%' THEN 'partition' WHEN name LIKE 'compile%' THEN 'compile'
	WHEN name LIKE 'pre-pack%' THEN 'prepack' ELSE 'graph_transformers' END phase
FROM inside JOIN s USING (id);
CREATE TABLE phase_name AS
SELECT value phase FROM json_each('["set_up", "load", "read_file", "parse_model", "build_graph", "create_providers",
	"register_kernels", "graph_transformers", "resolve_graph", "partition", "compile", "look_up_kernels",
	"plan_memory",
	"initialize_weights", "create_kernels", "prepack", "hash_packed_weights", "provider_ready", "other", "halted",
	"waiting", "unattributed"]');
INSERT INTO part
SELECT session.path || '.phases', json_group_object(phase_name.phase || '_ns', ifnull((
	SELECT sum(ns) FROM phase WHERE phase.slice = session.slice AND phase.phase = phase_name.phase), 0))
FROM session, phase_name WHERE slice IS NOT NULL GROUP BY session.path;
CREATE TABLE created AS SELECT * FROM phase JOIN session USING (slice) WHERE NOT failed;
INSERT INTO part
SELECT model.path || '.creation.phases', json_group_object(phase_name.phase || '_ns', ifnull((
	SELECT sum(ns) FROM created WHERE created.k = model.k AND created.phase = phase_name.phase), 0))
FROM model, phase_name WHERE k IN (SELECT k FROM created) GROUP BY model.k;
INSERT INTO part
SELECT model.path || '.creation.phase_calls', json_group_object(phase_name.phase, (
	SELECT count(*) FROM created
	WHERE created.k = model.k AND created.phase = phase_name.phase AND (phase <> 'prepack' OR kind <> 'phase')))
FROM model, phase_name WHERE phase <> 'unattributed' GROUP BY model.k;
INSERT INTO part
SELECT path || '.creation.transformers[' || (row_number() OVER (PARTITION BY k ORDER BY ns DESC) - 1) || ']',
	json_object('name', name, 'calls', calls, 'changed', changed, 'self_ns', ns)
FROM (SELECT model.path, model.k, created.name, count(*) calls, sum(modified) changed, sum(ns) ns
	FROM created JOIN model USING (k) WHERE phase = 'graph_transformers' GROUP BY model.k, created.name);
INSERT INTO part
SELECT path || '.creation.transformers', json_object('n', (
	SELECT count(DISTINCT created.name) FROM created WHERE created.k = model.k AND phase = 'graph_transformers'))
FROM model;
INSERT INTO part
SELECT path || '.creation', json_object('sessions', count(*), 'recorded', count(slice), 'failed', sum(failed),
	'not_ended', 0, 'prepacked_weights', (
		SELECT count(*) FROM created WHERE created.k = model.k AND phase = 'prepack' AND kind <> 'phase'),
	'planner_lookups', (SELECT ifnull(sum(amount), 0) FROM created WHERE created.k = model.k
	AND phase = 'plan_memory'))
FROM (SELECT k, slice, failed FROM session) JOIN model USING (k) GROUP BY k;
INSERT INTO measured SELECT model.path || '.creation.duration', e - b FROM session JOIN model USING (k)
	WHERE slice IS NOT NULL AND NOT failed;
INSERT INTO part
SELECT session.path, json_object('number', session, 'created_at_ns', session.b - bound.first, 'creation_ns',
	session.e - session.b,
	'is_failed', session.failed, 'status', session.status, 'inferences', count(run.id),
	'inferences_failed', ifnull(sum(run.failed), 0), 'inferences_ns', ifnull(sum(ns) FILTER (WHERE done), 0))
FROM session JOIN bound LEFT JOIN run USING (process, session) GROUP BY session.path;
INSERT INTO measured SELECT path || '.latency', ns FROM run JOIN session USING (process, session) WHERE typical;

-- Inferences of each model.
INSERT INTO part
SELECT path || '.inferences', json_object('count', count(id), 'count_all', count(id), 'failed',
	ifnull(sum(failed), 0),
	'not_ended', count(id) - count(e), 'partial', ifnull(sum(args ->> 'partial'), 0), 'first',
	ifnull(sum(first), 0),
	'without_status', count(id) - count(status), 'begin_at_ns', min(b) - (SELECT first FROM bound),
	'end_at_ns', max(e) - (SELECT first FROM bound),
	'per_second', CASE WHEN count(e) > 1 THEN count(e) * 1e9 / (max(e) - min(b)) END,
	'wall_ns', ifnull(sum(ns) FILTER (WHERE done), 0), 'not_ended_ns',
	ifnull(sum(till - b) FILTER (WHERE e IS NULL), 0),
	'inner_ns', ifnull(sum(inner) FILTER (WHERE done OR e IS NULL), 0), 'threads', nullif(count(DISTINCT tid), 0))
FROM model LEFT JOIN run USING (k) GROUP BY k;
INSERT INTO part
WITH change AS (SELECT k, b ns, 1 step FROM run UNION ALL SELECT k, e, -1 FROM run WHERE e IS NOT NULL),
	open AS (SELECT k, sum(step) OVER (PARTITION BY k ORDER BY ns, step ROWS UNBOUNDED PRECEDING) n FROM change)
SELECT path || '.inferences', json_object('max_concurrent', max(n)) FROM open JOIN model USING (k) GROUP BY k;
INSERT INTO measured SELECT path || '.inferences.latency', ns FROM run JOIN model USING (k) WHERE typical;
INSERT INTO measured SELECT path || '.inferences.first_latency', ns FROM run JOIN model USING (k)
	WHERE done AND first AND NOT failed;
CREATE TABLE bin AS -- of histograms: from what on, up to what
SELECT k, model.path || '.inferences.latency_histogram[' || key || ']' path, value ->> 'up_to_ns' upto,
	lag(value ->> 'up_to_ns', 1, -1) OVER (PARTITION BY k ORDER BY key) above, key = 31 is_last
FROM report, model, json_each(report, model.path || '.inferences.latency_histogram');
INSERT INTO part
SELECT bin.path, json_object('inferences', count(run.id))
FROM bin LEFT JOIN run ON run.k = bin.k AND typical AND ns > above AND (is_last OR ns <= upto)
WHERE bin.k IN (SELECT k FROM run WHERE typical GROUP BY k HAVING min(ns) < max(ns)) GROUP BY bin.path;
INSERT INTO part
SELECT model.path || '.inferences.latency_series.histogram.bins[' || bins.key || ']', json_object('inferences', (
	SELECT count(*) FROM run
	WHERE run.k = model.k AND typical AND ns >= bins.value ->> 'from_ns' AND ns < bins.value ->> 'below_ns'))
FROM report, model, json_each(report, model.path || '.inferences.latency_series.histogram.bins') bins;
INSERT INTO part
SELECT path || '.inferences.latency_series',
	json_object('count', count(*), 'total_ns', sum(ns) * 1.0, 'mean_ns', avg(ns), 'min_ns', min(ns),
	'max_ns', max(ns))
FROM run JOIN model USING (k) WHERE typical GROUP BY k;
INSERT INTO part
SELECT path || '.inferences.usage', json_object('inferences', count(faults), 'wall_ns',
	sum(ns) FILTER (WHERE faults >= 0),
	'thread_cpu_ns', 0, 'faults', sum(faults), 'switches', 0, 'wait_inferences', count(wait),
	'wait_wall_ns', ifnull(sum(ns) FILTER (WHERE wait >= 0), 0), 'run_queue_ns', ifnull(sum(wait), 0))
FROM (SELECT k, ns, args ->> 'faults' faults, args ->> 'run_queue_ns' wait FROM run WHERE typical)
	JOIN model USING (k)
GROUP BY k HAVING count(faults);

-- What arguments inferences have, how often.
CREATE TABLE tally AS
WITH of_run AS (
	SELECT run.k, each.key, each.value, b, ns, typical, queue FROM run, json_each(args) each
	WHERE each.key IN ('shapes', 'tag', 'batch') OR each.key = 'status' AND failed)
SELECT k, key, value, count(*) n, min(b) first, sum(typical) typical, ifnull(sum(ns) FILTER (WHERE typical), 0) wall,
	ifnull(min(max(ns - queue, 0)) FILTER (WHERE typical), 0) least
FROM of_run GROUP BY k, key, value;
INSERT INTO part
SELECT path || '.inferences.' || CASE key WHEN 'batch' THEN 'batches' WHEN 'tag' THEN 'tags'
	WHEN 'status' THEN 'failures' ELSE key END || '[' || (
	row_number() OVER (PARTITION BY k, key ORDER BY n DESC, tally.first) - 1) || ']',
	json_object(CASE key WHEN 'batch' THEN key ELSE 'text' END, value, 'inferences', n, 'first_at_ns',
	tally.first - bound.first)
FROM tally JOIN model USING (k) JOIN bound;
INSERT INTO part
SELECT 'inside[' || k || '].tallies[' || (
	row_number() OVER (PARTITION BY k ORDER BY key_order.key, n DESC, tally.first) - 1) || ']',
	json_object('key', tally.key, 'value', tally.value, 'inferences', n, 'typical', typical, 'wall_ns',
	wall, 'least_ns', least)
FROM tally JOIN json_each('["shapes", "status", "batch", "tag"]') key_order ON key_order.value = tally.key;

INSERT INTO part
SELECT 'inside[' || k || '].tallies', json_object('n', (SELECT count(*) FROM tally WHERE tally.k = model.k))
	FROM model;

-- How long inferences waited, and were blocked alone and beside those of other sessions.
INSERT INTO part
SELECT 'inside[' || k || ']', json_object('first_waits', count(*) FILTER (WHERE done AND first AND NOT failed
	AND waits),
	'first_wait_ns', ifnull(sum(queue) FILTER (WHERE done AND first AND NOT failed), 0),
	'longest_wait_ns', ifnull(max(queue) FILTER (WHERE typical), 0))
FROM model LEFT JOIN (SELECT *, args ->> 'run_queue_ns' IS NOT NULL waits FROM run) USING (k) GROUP BY k;
CREATE TABLE blocked AS
SELECT k, ns, max(ns - queue, 0) blocked, EXISTS (
	SELECT 1 FROM run other WHERE other.process = run.process AND other.session <> run.session
	AND other.b < run.till
	AND other.till > run.b) is_beside
FROM run WHERE typical AND args ->> 'run_queue_ns' IS NOT NULL AND args ->> 'faults' IS NOT NULL;
INSERT INTO part
SELECT 'inside[' || model.k || '].' || each.value, json_object('inferences', count(ns), 'wall_ns', ifnull(sum(ns), 0),
	'blocked_ns', ifnull(sum(blocked), 0), 'longest_ns', ifnull(max(blocked), 0))
FROM model, json_each('["alone", "beside"]') each LEFT JOIN blocked ON blocked.k = model.k AND is_beside = each.key
GROUP BY model.k, each.key;

-- Operators, and the inferences that they are counted of: typical ones, or all finished ones of a model without.
CREATE TABLE op AS
SELECT s.id, s.b, s.e, s.parent, s.process, s.track, s.number, s.name, args ->> 'op_type' op_type,
	args ->> 'provider' provider, args ->> 'shapes' shapes, args ->> 'bytes' bytes,
	args ->> 'allocated' allocated,
	status <> 'ok' failed, (SELECT id FROM run WHERE process = s.process AND number = s.number AND nth = 1) run
FROM s WHERE kind = 'operator';
CREATE INDEX op_run ON op(run);
CREATE INDEX op_parent ON op(parent);
CREATE TABLE cover AS
SELECT *, done AND has AND (typical OR NOT max(typical AND has) OVER (PARTITION BY k)) covered
FROM (SELECT run.*, EXISTS (SELECT 1 FROM op WHERE op.run = run.id) has FROM run);
CREATE INDEX cover_id ON cover(id);

-- The time of an inference is divided among threads that run operators of it, and on each belongs to the innermost.
CREATE TABLE cut AS
SELECT op.id, op.run, cover.k, max(op.b, cover.b) b, min(op.e, cover.e) e, around.id parent
FROM op JOIN cover ON cover.id = op.run AND covered
LEFT JOIN op around ON around.id = op.parent AND around.e IS NOT NULL AND around.run = op.run
WHERE op.e IS NOT NULL AND max(op.b, cover.b) < min(op.e, cover.e);
CREATE INDEX cut_parent ON cut(parent);
CREATE TABLE stretch AS
WITH change AS (
	SELECT run, b ns, parent IS NULL ops, 0 setup FROM cut UNION ALL SELECT run, e, -(parent IS NULL), 0 FROM cut
	UNION ALL SELECT id, b, 0, 0 FROM cover WHERE covered
	UNION ALL SELECT s.parent, s.b, 0, 1 FROM s JOIN cover ON cover.id = s.parent AND covered
		WHERE s.kind = 'setup' AND s.e IS NOT NULL
	UNION ALL SELECT s.parent, s.e, 0, -1 FROM s JOIN cover ON cover.id = s.parent AND covered
		WHERE s.kind = 'setup' AND s.e IS NOT NULL
), border AS (SELECT run, ns, sum(ops) ops, sum(setup) setup FROM change GROUP BY run, ns)
SELECT run, ns, lead(ns, 1, ns) OVER by_time - ns len, sum(ops) OVER by_time ops, sum(setup) OVER by_time setup
	FROM border
WINDOW by_time AS (PARTITION BY run ORDER BY ns);
CREATE TABLE divided AS
SELECT run, ns, sum(CASE WHEN ops THEN len * 1.0 / ops ELSE 0 END) OVER (
	PARTITION BY run ORDER BY ns ROWS UNBOUNDED PRECEDING) - CASE WHEN ops THEN len * 1.0 / ops ELSE 0 END before
FROM stretch;
CREATE INDEX divided_at ON divided(run, ns);
CREATE TABLE share AS
SELECT cut.id, cut.parent, till.before - since.before ns
FROM cut JOIN divided since ON since.run = cut.run AND since.ns = cut.b JOIN divided till ON till.run = cut.run
	AND till.ns = cut.e;
CREATE INDEX share_id ON share(id);
CREATE INDEX share_parent ON share(parent);
CREATE TABLE taken AS
SELECT run, sum(len) FILTER (WHERE ops) operators, ifnull(sum(len) FILTER (WHERE NOT ops AND setup), 0) setup
FROM stretch GROUP BY run;
CREATE INDEX taken_run ON taken(run);

INSERT INTO part
SELECT path || '.operators', json_object('inferences', count(*), 'inferences_with_parallel_operators', sum((
	SELECT count(DISTINCT track) FROM op WHERE op.run = cover.id) > 1),
	'inferences_without_operators', (SELECT count(*) FROM cover bare WHERE bare.k = model.k AND typical
	AND NOT has),
	'wall_ns', sum(ns), 'operators_ns', sum(ifnull(operators, 0)), 'setup_ns', sum(setup),
	'unattributed_ns', sum(ns - ifnull(operators, 0) - setup))
FROM cover JOIN model USING (k) JOIN taken ON taken.run = cover.id WHERE covered GROUP BY k;
INSERT INTO part
SELECT path || '.operators', json_object('operators_p50_ns', operators)
FROM (SELECT k, ifnull(operators, 0) operators, row_number() OVER (PARTITION BY k ORDER BY ifnull(operators, 0)) rank,
	count(*) OVER (PARTITION BY k) n FROM cover JOIN taken ON taken.run = cover.id WHERE covered)
	JOIN model USING (k)
WHERE rank = (n + 1) / 2;

CREATE TABLE called AS
SELECT op.*, cover.k, covered, op.e - op.b ns,
	op.e - op.b - ifnull((SELECT sum(e - b) FROM op child WHERE child.parent = op.id), 0) own,
	EXISTS (SELECT 1 FROM op child WHERE child.parent = op.id) others,
	share.ns - ifnull((SELECT sum(ns) FROM share child WHERE child.parent = op.id), 0) share,
	CASE WHEN covered THEN 'inference' WHEN done THEN 'first_or_failed_inference'
	WHEN cover.id IS NOT NULL THEN 'unfinished_inference' WHEN op.number IS NOT NULL THEN 'unknown_inference'
	WHEN EXISTS (SELECT 1 FROM session WHERE session.process = op.process AND op.b BETWEEN session.b
	AND session.e)
	THEN 'session_creation' ELSE 'outside' END place
FROM op LEFT JOIN cover ON cover.id = op.run LEFT JOIN share ON share.id = op.id;
CREATE TABLE listed AS
SELECT k, 'nodes' list, key at, model.path || '.operators.nodes[' || key || ']' path, value ->> 'name' name,
	value ->> 'op_type' op_type,
	value ->> 'provider' provider FROM report, model, json_each(report, model.path || '.operators.nodes')
UNION ALL
SELECT k, 'types', key, model.path || '.operators.types[' || key || ']', NULL, value ->> 'op_type',
	value ->> 'provider'
FROM report, model, json_each(report, model.path || '.operators.types');
CREATE TABLE grouped AS
SELECT listed.path, listed.list, called.* FROM called LEFT JOIN listed
ON listed.k = called.k AND listed.op_type = called.op_type AND listed.provider IS called.provider
AND (listed.list = 'types' OR listed.name = called.name)
WHERE covered;
INSERT INTO measured SELECT path || '.duration', ns FROM grouped WHERE ns IS NOT NULL;
INSERT INTO part
SELECT path, json_object('calls', count(e), 'not_ended', count(*) - count(e), 'failed', ifnull(sum(failed), 0),
	'self_ns', ifnull(sum(own), 0), 'runs_others', max(others),
	'shapes', CASE WHEN count(DISTINCT ifnull(shapes, '')) = 1 THEN max(shapes) END, 'bytes', sum(bytes),
	'allocated_bytes', sum(allocated))
FROM grouped GROUP BY path;
INSERT INTO loose SELECT path, json_object('share_ns', ifnull(sum(share), 0)), 4 * count(*) FROM grouped
	GROUP BY path;
INSERT INTO part
SELECT model.path || '.operators.' || list, json_object('n', count(DISTINCT grouped.path)) FROM grouped
	JOIN model USING (k)
GROUP BY k, list;
CREATE TABLE usual AS -- of nodes
SELECT *, min(1.0, p50 * 1.0 * n / whole) * share typical FROM (
	SELECT path, k, name, op_type, provider, n, sum(ns) whole, max(ns) FILTER (WHERE rank = (n + 1) / 2) p50,
		ifnull(sum(share), 0) share
	FROM (SELECT *, row_number() OVER (PARTITION BY path ORDER BY ns) rank, count(*) OVER (PARTITION BY path) n
		FROM grouped WHERE list = 'nodes' AND ns IS NOT NULL) GROUP BY path);
INSERT INTO loose SELECT path, json_object('typical_ns', typical), 4 * n + 2 FROM usual;
INSERT INTO loose
SELECT listed.path, json_object('typical_ns', sum(typical)), sum(4 * n + 2) FROM usual JOIN listed
ON list = 'types' AND listed.k = usual.k AND listed.op_type = usual.op_type AND listed.provider IS usual.provider
GROUP BY listed.path;
INSERT INTO part
SELECT listed.path, json_object('share', share.value * 1.0 / whole.value, 'share_so_far',
	sum(share.value) OVER (PARTITION BY k, list ORDER BY at) * 1.0 / whole.value)
FROM listed JOIN model USING (k) JOIN got share ON share.path = listed.path || '.share_ns'
JOIN got whole ON whole.path = model.path || '.operators.wall_ns';
CREATE TABLE ran AS -- operators of providers, inside of inferences that count and elsewhere
SELECT model.path || '.operators.providers[' || key || ']' path, k, 0 process, 'inference' place, NULL op_type,
	value ->> 'provider' provider
FROM report, model, json_each(report, model.path || '.operators.providers')
UNION ALL
SELECT '$.operators_elsewhere[' || key || ']', 0, process.id, value ->> 'where', value ->> 'op_type',
	value ->> 'provider'
FROM report, json_each(report, '$.operators_elsewhere') JOIN process ON pid = value ->> 'pid';
CREATE TABLE of_provider AS
SELECT place, CASE place WHEN 'inference' THEN k ELSE 0 END k,
	CASE place WHEN 'inference' THEN 0 ELSE process END process,
	CASE WHEN place <> 'inference' THEN op_type END op_type, provider,
	count(DISTINCT name || ' ' || op_type) nodes,
	count(*) n, count(e) calls, ifnull(sum(own), 0) own, ifnull(sum(share), 0) share
FROM called GROUP BY 1, 2, 3, 4, 5;
CREATE TABLE found AS
SELECT ran.path, of_provider.* FROM of_provider LEFT JOIN ran USING (place, k, process)
	WHERE ran.provider IS of_provider.provider
AND ran.op_type IS of_provider.op_type;
INSERT INTO part SELECT path, json_object('nodes', nodes, 'calls', calls) FROM found WHERE place = 'inference';
INSERT INTO loose SELECT path, json_object('share_ns', share), 4 * n FROM found WHERE place = 'inference';
INSERT INTO part SELECT path, json_object('calls', calls, 'not_ended', n - calls, 'self_ns', own)
FROM found WHERE place <> 'inference';
INSERT INTO part SELECT '$.operators_elsewhere', json_object('n', count(*)) FROM of_provider
	WHERE place <> 'inference';
INSERT INTO part
SELECT model.path || '.operators.providers', json_object('n', count(*)) FROM of_provider JOIN model USING (k)
WHERE place = 'inference' GROUP BY k;
INSERT INTO part SELECT path, json_object('operators', NULL) FROM model WHERE k NOT IN (SELECT k FROM cover
	WHERE covered);
INSERT INTO part
SELECT model.path || '.providers_that_ran_nothing', json_object('n', max(
	ifnull(providers, '') LIKE 'CUDA%' AND NOT EXISTS (
	SELECT 1 FROM called WHERE called.k = model.k AND covered AND called.provider = 'CUDAExecutionProvider')))
FROM model WHERE k IN (SELECT k FROM called WHERE covered) GROUP BY model.k;

-- The slowest inferences, and the operator of each that took most more than usual.
CREATE TABLE slow AS
SELECT cover.*, row_number() OVER (PARTITION BY k ORDER BY ns DESC) rank FROM cover WHERE typical;
INSERT INTO part
SELECT path || '.inferences.slowest[' || (rank - 1) || ']', json_object('at_ns', b - (SELECT first FROM bound),
	'duration_ns', ns, 'session', session, 'id', args ->> 'id', 'inference', number, 'tid', tid,
	'run_queue_ns', args ->> 'run_queue_ns', 'faults', args ->> 'faults',
	'operators_ns', CASE WHEN covered THEN (SELECT ifnull(operators, 0) FROM taken WHERE taken.run = slow.id) END,
	'during_session_creation', EXISTS (
		SELECT 1 FROM session WHERE session.process = slow.process AND session.b <= slow.e
		AND session.e >= slow.b),
	'other_inferences_at_the_time', (
		SELECT count(*) FROM run other
		WHERE other.process = slow.process AND other.id <> slow.id AND other.b < slow.e
		AND other.till > slow.b))
FROM slow JOIN model USING (k) WHERE rank <= 5;
INSERT INTO part
SELECT path || '.inferences.slowest', json_object('n', (SELECT count(*) FROM slow WHERE slow.k = model.k
	AND rank <= 5))
FROM model;
CREATE TABLE late AS
SELECT slow.id, op.name, op.e - op.b ns, p50,
	row_number() OVER (PARTITION BY slow.id ORDER BY op.e - op.b - p50 DESC) rank
FROM slow JOIN op ON op.run = slow.id JOIN usual ON usual.k = slow.k AND usual.name = op.name
WHERE slow.rank <= 5 AND op.b >= slow.b AND op.b < slow.e AND op.e - op.b > p50
AND NOT EXISTS (SELECT 1 FROM s WHERE s.parent = op.id);
INSERT INTO part
SELECT path || '.inferences.slowest[' || (slow.rank - 1) || ']',
	json_object('node', late.name, 'node_ns', late.ns, 'node_p50_ns', p50)
FROM slow JOIN model USING (k) LEFT JOIN late ON late.id = slow.id AND late.rank = 1 WHERE slow.rank <= 5;

-- Counters: a value stands for the time since the one before, the first one of a share for one interval.
CREATE TABLE sample AS
SELECT counter_id counter, process_id process, name, unit, time_ns ns, value, coalesce(
	lag(time_ns) OVER (PARTITION BY counter_id ORDER BY time_ns),
	CASE unit WHEN '%' THEN max(time_ns - 200000, first) ELSE time_ns END) since
FROM samples, bound;
ALTER TABLE sample ADD busy;
UPDATE sample SET busy = ifnull((
	SELECT before + min(e, sample.ns) - b FROM busy
	WHERE process = ifnull(sample.process, 'all') AND b < +sample.ns ORDER BY b DESC LIMIT 1), 0) - ifnull((
	SELECT before + min(e, sample.since) - b FROM busy
	WHERE process = ifnull(sample.process, 'all') AND b < +sample.since ORDER BY b DESC LIMIT 1), 0);
CREATE INDEX sample_at ON sample(counter, ns);
CREATE TABLE resource AS
SELECT '$.resources[' || key || ']' path, value ->> 'name' name, process.id process
FROM report, json_each(report, '$.resources') LEFT JOIN process ON pid = value ->> 'pid';
INSERT INTO part
SELECT path, json_object('unit', unit, 'samples', count(*), 'min', min(value), 'max', max(value), 'first', (
	SELECT value FROM sample one WHERE one.counter = sample.counter ORDER BY ns LIMIT 1), 'last', (
	SELECT value FROM sample one WHERE one.counter = sample.counter ORDER BY ns DESC LIMIT 1),
	'with_inferences_ns', sum(busy), 'without_inferences_ns', sum(ns - since - busy),
	'mean', CASE WHEN unit <> 'J' THEN ifnull(sum(value * (ns - since)) / sum(ns - since), avg(value)) END,
	'with_inferences_mean', CASE WHEN unit <> 'J' THEN sum(value * busy) / sum(busy) END,
	'without_inferences_mean',
	CASE WHEN unit <> 'J' THEN sum(value * (ns - since - busy)) / sum(ns - since - busy) END,
	'with_inferences_max', max(value) FILTER (WHERE busy AND unit <> 'J'),
	'without_inferences_max', max(value) FILTER (WHERE busy < ns - since AND unit <> 'J'))
FROM sample LEFT JOIN resource USING (name) WHERE resource.process IS sample.process GROUP BY counter;
INSERT INTO part SELECT '$.resources', json_object('n', count(DISTINCT counter)) FROM sample;
INSERT INTO part SELECT '$.losses.slices_not_ended', json_group_object(kind, n)
FROM (SELECT kind, count(*) n FROM s WHERE e IS NULL GROUP BY kind);

INSERT INTO part
SELECT path, json_object('count', count(*), 'total_ns', sum(ns), 'mean_ns', avg(ns), 'min_ns', min(ns),
	'max_ns', max(ns),
	'p50_ns', max(ns) FILTER (WHERE rank = (n + 1) / 2), 'p90_ns', max(ns) FILTER (WHERE rank = (9 * n + 9) / 10),
	'p99_ns', max(ns) FILTER (WHERE rank = (99 * n + 99) / 100))
FROM (SELECT *, row_number() OVER (PARTITION BY path ORDER BY ns) rank, count(*) OVER (PARTITION BY path) n
	FROM measured)
GROUP BY path;

CREATE TABLE differ AS
SELECT part.path || '.' || key path, got.value reported, each.value value
FROM (SELECT path, object, 0 slack FROM part UNION ALL SELECT * FROM loose) part, json_each(object) each
LEFT JOIN got ON got.path = part.path || '.' || key
WHERE got.path IS NULL OR got.value IS NOT each.value
AND ifnull(abs(got.value - each.value) > slack + CASE each.type WHEN 'real' THEN 1e-8 * abs(each.value) ELSE 0 END, 1)
UNION ALL -- lists begin with what took most
SELECT '$.models', k, k - 1 FROM (SELECT k, wall, lag(wall) OVER (ORDER BY k) more FROM (
	SELECT k, ifnull(sum(ns) FILTER (WHERE done), 0) wall FROM model LEFT JOIN run USING (k) GROUP BY k))
	WHERE wall > more
UNION ALL
SELECT path, typical, more FROM (
	SELECT listed.path, value typical, lag(value) OVER (PARTITION BY k, list ORDER BY at) more FROM listed
	JOIN got ON got.path = listed.path || '.typical_ns') WHERE typical > more
UNION ALL
SELECT path, value, 'nothing' FROM got
WHERE path LIKE '$.models%.percentiles_are_exact' AND replace(path, '.percentiles_are_exact',
	'') NOT IN (SELECT path FROM measured);
