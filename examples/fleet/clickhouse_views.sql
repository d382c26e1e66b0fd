-- Views for dashboards and people, of the tables in clickhouse.sql: clickhouse-client --multiquery < clickhouse_views.sql
-- Each takes its stretch of time as parameters: SELECT * FROM inftrace.by_model(since = now() - 3600, until = now())
-- Maps are summed in two steps, first where buckets begin at the same place: in one step it takes six times as long.

-- Percentiles of each model, from the sums of minutes.
CREATE OR REPLACE VIEW inftrace.by_model AS
SELECT model, n, round(100 * failed / n, 3) AS failed_pct, hosts, round(sum_ns / n / 1e6, 3) AS mean_ms,
  inftrace_quantile_ms(h.1, h.2, 0.5) AS p50_ms, inftrace_quantile_ms(h.1, h.2, 0.99) AS p99_ms,
  round(max_ns / 1e6, 3) AS max_ms, round(100 * wait_ns / sum_ns, 1) AS waits_for_cpu_pct
FROM (
  SELECT model, sum(n) AS n, sum(failed) AS failed, sum(sum_ns) AS sum_ns, max(max_ns) AS max_ns,
    sum(wait_ns) AS wait_ns, uniqCombinedMerge(12)(hosts) AS hosts, sumMapMerge(buckets) AS h
  FROM inftrace.minutes WHERE minute >= toDateTime({since:DateTime}) AND minute < toDateTime({until:DateTime})
  GROUP BY model HAVING n > 0)
ORDER BY p99_ms DESC;

-- Percentiles of each model by minute: for graphs.
CREATE OR REPLACE VIEW inftrace.model_by_minute AS
SELECT minute, n, failed, inftrace_quantile_ms(h.1, h.2, 0.5) AS p50_ms, inftrace_quantile_ms(h.1, h.2, 0.99) AS p99_ms
FROM (
  SELECT minute, sum(n) AS n, sum(failed) AS failed, sumMapMerge(buckets) AS h FROM inftrace.minutes
  WHERE model = {model:String} AND minute >= {since:DateTime} AND minute < {until:DateTime} GROUP BY minute HAVING n > 0)
ORDER BY minute;

-- Percentiles of each model and machine.
CREATE OR REPLACE VIEW inftrace.by_machine AS
SELECT model, host, n, round(sum_ns / n / 1e6, 3) AS mean_ms, inftrace_quantile_ms(h.1, h.2, 0.5) AS p50_ms,
  inftrace_quantile_ms(h.1, h.2, 0.99) AS p99_ms, round(100 * wait_ns / sum_ns, 1) AS waits_for_cpu_pct
FROM (
  SELECT model, host, sum(n) AS n, sum(sum_ns) AS sum_ns, sum(wait_ns) AS wait_ns,
    sumMap(arrayMap(i -> toInt32(bucket_first + i - 1), arrayEnumerate(counts)), counts) AS h
  FROM (
    SELECT model, host, bucket_first, sum(n) AS n, sum(sum_ns) AS sum_ns, sum(wait_ns) AS wait_ns,
      sumForEach(bucket_n) AS counts
    FROM inftrace.intervals WHERE model != '' AND ts >= {since:DateTime} AND ts < {until:DateTime}
    GROUP BY model, host, bucket_first)
  GROUP BY model, host HAVING n > 0)
ORDER BY model, p99_ms DESC;

-- Machines on which a model takes longer than on its peers: times the median of all.
CREATE OR REPLACE VIEW inftrace.off_their_peers AS
SELECT model, host, mean_ms, peers_ms, round(mean_ms / peers_ms, 2) AS times, n_hosts FROM (
  SELECT model, host, mean_ms, median(mean_ms) OVER (PARTITION BY model) AS peers_ms,
    count() OVER (PARTITION BY model) AS n_hosts
  FROM (
    SELECT model, host, sum(sum_ns) / sum(n) / 1e6 AS mean_ms FROM inftrace.intervals
    WHERE model != '' AND ts >= {since:DateTime} AND ts < {until:DateTime} GROUP BY model, host HAVING sum(n) >= 100))
WHERE n_hosts >= 3 AND mean_ms > 1.5 * peers_ms ORDER BY times DESC;

-- Versions of a runtime, or of a service, beside each other.
CREATE OR REPLACE VIEW inftrace.by_version AS
SELECT model, service, service_version, runtime, runtime_version, provider, n, hosts,
  round(100 * failed / n, 3) AS failed_pct, round(sum_ns / n / 1e6, 3) AS mean_ms,
  inftrace_quantile_ms(h.1, h.2, 0.5) AS p50_ms, inftrace_quantile_ms(h.1, h.2, 0.99) AS p99_ms
FROM (
  SELECT model, service, service_version, runtime, runtime_version, provider, sum(n) AS n, sum(failed) AS failed,
    sum(sum_ns) AS sum_ns, uniqCombinedMerge(12)(hosts) AS hosts, sumMapMerge(buckets) AS h
  FROM inftrace.minutes WHERE minute >= {since:DateTime} AND minute < {until:DateTime}
  GROUP BY model, service, service_version, runtime, runtime_version, provider HAVING n > 0)
ORDER BY model, service, service_version, runtime_version;

-- What is left of an error budget, as in error_budgets(since = ..., until = ..., allowed = 0.001)
CREATE OR REPLACE VIEW inftrace.error_budgets AS
SELECT service, model, sum(n) AS runs, sum(failed) AS failures, round(100 * failures / runs, 3) AS failed_pct,
  round(100 * (1 - failures / runs / {allowed:Float64}), 1) AS budget_left_pct
FROM inftrace.minutes WHERE minute >= {since:DateTime} AND minute < {until:DateTime}
GROUP BY service, model HAVING runs > 0 ORDER BY budget_left_pct;

-- Failures by class, as far as their rows say: weight is how many a row stands for.
CREATE OR REPLACE VIEW inftrace.failures AS
SELECT service, model, error, sum(weight) AS n, any(status) AS example, max(ts) AS newest
FROM inftrace.inferences WHERE reason = 'failed' AND ts >= {since:DateTime} AND ts < {until:DateTime}
GROUP BY service, model, error ORDER BY n DESC;

-- The slowest inferences, why they were slow, and the recordings that have them.
CREATE OR REPLACE VIEW inftrace.slowest AS
SELECT ts, host, service, model, round(ns / 1e6, 3) AS ms, why, operators, pid, trace_id, recording
FROM inftrace.inferences WHERE ts >= {since:DateTime} AND ts < {until:DateTime} ORDER BY ns DESC LIMIT 100;

-- Services: what they take.
CREATE OR REPLACE VIEW inftrace.services AS
SELECT service, uniqExact(host) AS hosts, round(sum(process_cpu_ns) / 1e9, 3) AS cpu_s,
  formatReadableSize(max(resident_bytes)) AS most_memory_of_a_machine, round(sum(device_ns) / 1e9, 3) AS device_s,
  formatReadableSize(max(device_bytes)) AS most_device_memory_of_a_machine, round(sum(energy_mj) / 1e3, 3) AS energy_j
FROM inftrace.intervals WHERE model = '' AND service != 'inftrace' AND ts >= {since:DateTime} AND ts < {until:DateTime}
GROUP BY service ORDER BY cpu_s DESC;

-- Device time of models: that of their service, by their parts of the time of inferences with a provider of a device. For a
-- service with one such model it is measured, else an estimate.
CREATE OR REPLACE VIEW inftrace.device_by_model AS
SELECT service, model, n, round(of_service * part_ns / sum(part_ns) OVER (PARTITION BY service) / 1e9, 3) AS device_s,
  round(1000 * device_s / n, 4) AS device_ms_an_inference, uniqExact(model) OVER (PARTITION BY service) = 1 AS is_measured
FROM (
  SELECT service, model, sum(n) AS n, sum(sum_ns) AS part_ns FROM inftrace.intervals
  WHERE model != '' AND device IN ('gpu', 'npu') AND ts >= {since:DateTime} AND ts < {until:DateTime} GROUP BY service, model
) AS models INNER JOIN (
  SELECT service, sum(device_ns) AS of_service FROM inftrace.intervals
  WHERE model = '' AND service != 'inftrace' AND ts >= {since:DateTime} AND ts < {until:DateTime} GROUP BY service
) AS services USING (service)
WHERE n > 0 ORDER BY device_s DESC;

-- Energy of models and of an inference: that of their services, by the CPU time of their inferences. An estimate, two times:
-- a service has its share of the machine's.
CREATE OR REPLACE VIEW inftrace.energy_by_model AS
SELECT service, model, n, round(of_service * part_ns / sum(part_ns) OVER (PARTITION BY service) / 1e3, 3) AS energy_j,
  round(1000 * energy_j / n, 4) AS mj_an_inference
FROM (
  SELECT service, model, sum(n) AS n, sum(cpu_ns) AS part_ns FROM inftrace.intervals
  WHERE model != '' AND ts >= {since:DateTime} AND ts < {until:DateTime} GROUP BY service, model
) AS models INNER JOIN (
  SELECT service, sum(energy_mj) AS of_service FROM inftrace.intervals
  WHERE model = '' AND service != 'inftrace' AND ts >= {since:DateTime} AND ts < {until:DateTime} GROUP BY service
) AS services USING (service)
WHERE n > 0 AND part_ns > 0 ORDER BY energy_j DESC;

-- Tokens: of models that make them. first_token_n, token_n: first tokens that were seen, and those behind them.
CREATE OR REPLACE VIEW inftrace.tokens_by_model AS
SELECT service, model, sum(first_token_n) AS generations, sum(input_tokens) AS tokens_in, sum(output_tokens) AS tokens_out,
  round(sum(first_token_ns) / sum(first_token_n) / 1e6, 3) AS first_token_ms,
  round(sum(token_ns) / sum(token_n) / 1e6, 3) AS token_ms,
  round(tokens_out / (toUnixTimestamp({until:DateTime}) - toUnixTimestamp({since:DateTime})), 3) AS tokens_a_second
FROM inftrace.intervals WHERE model != '' AND ts >= {since:DateTime} AND ts < {until:DateTime}
GROUP BY service, model HAVING tokens_out > 0 ORDER BY tokens_out DESC;

-- Models with operators that ran elsewhere than on the provider that was asked for, and the machines where they did.
CREATE OR REPLACE VIEW inftrace.fallbacks AS
SELECT service, model, provider, max(fallback_nodes) AS most_nodes, uniqExact(host) AS hosts, max(ts) AS newest
FROM inftrace.intervals WHERE fallback_nodes > 0 AND ts >= {since:DateTime} AND ts < {until:DateTime}
GROUP BY service, model, provider ORDER BY most_nodes DESC;

-- Watchers: what they cost, and what they have missed. missing_intervals: numbers that never came.
CREATE OR REPLACE VIEW inftrace.watchers AS
SELECT host, boot, max(ts) AS newest, round(100 * sum(process_cpu_ns) / sum(interval_ms * 1e6), 2) AS cpu_pct,
  max(resident_bytes) AS most_resident_bytes, sum(lost) AS events_lost, sum(skipped) AS inferences_skipped,
  argMax(unseen, ts) AS processes_unseen, sum(batches_dropped) AS dropped,
  greatest(0, toInt64(max(number) - min(number)) + 1 - toInt64(uniqExact(number))) AS missing_intervals
FROM inftrace.intervals WHERE model = '' AND service = 'inftrace' AND ts >= {since:DateTime} AND ts < {until:DateTime}
GROUP BY host, boot ORDER BY host;
