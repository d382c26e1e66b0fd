-- Tables for `inftrace watch --clickhouse`: clickhouse-client --multiquery < clickhouse.sql
-- intervals: a row a series and interval, kept for two weeks; inferences: the slowest, failed and first ones, kept for a
-- month; minutes: sums of all machines, kept for a year. On a cluster, replace MergeTree by ReplicatedMergeTree and leave
-- out non_replicated_deduplication_window: replicated tables know repeated inserts by themselves.
CREATE DATABASE IF NOT EXISTS inftrace;

-- Bucket bucket_first + i - 1 holds the seconds in (2^(that / 32), 2^((that + 1) / 32)]. model = '': of a service (processes,
-- process_cpu_ns, resident_bytes, device_ns, device_bytes, energy_mj); of service 'inftrace': of the watcher itself (also unseen, lost, skipped, batches_dropped).
CREATE TABLE IF NOT EXISTS inftrace.intervals (
  ts DateTime64(3) CODEC(DoubleDelta, ZSTD(1)), interval_ms UInt32 CODEC(ZSTD(1)), number UInt64 CODEC(ZSTD(1)),
  host LowCardinality(String), boot LowCardinality(String), machine LowCardinality(String),
  service LowCardinality(String),
  service_version LowCardinality(String), k8s_namespace LowCardinality(String), k8s_pod LowCardinality(String),
  container LowCardinality(String), model LowCardinality(String), runtime LowCardinality(String),
  runtime_version LowCardinality(String), provider LowCardinality(String), device LowCardinality(String),
  n UInt32 CODEC(T64, ZSTD(1)), failed UInt32 CODEC(T64, ZSTD(1)), sum_ns UInt64 CODEC(T64, ZSTD(1)),
  max_ns UInt64 CODEC(T64, ZSTD(1)), first_n UInt32 CODEC(T64, ZSTD(1)), first_ns UInt64 CODEC(T64, ZSTD(1)),
  cpu_ns UInt64 CODEC(T64, ZSTD(1)), wait_ns UInt64 CODEC(T64, ZSTD(1)), blocked_ns UInt64 CODEC(T64, ZSTD(1)),
  running UInt32 CODEC(T64, ZSTD(1)), sessions UInt32 CODEC(T64, ZSTD(1)), created UInt32 CODEC(T64, ZSTD(1)),
  not_created UInt32 CODEC(T64, ZSTD(1)), creating_ns UInt64 CODEC(T64, ZSTD(1)), processes UInt32 CODEC(T64, ZSTD(1)),
  unseen UInt32 CODEC(T64, ZSTD(1)), process_cpu_ns UInt64 CODEC(T64, ZSTD(1)),
  resident_bytes UInt64 CODEC(T64, ZSTD(1)), device_ns UInt64 CODEC(T64, ZSTD(1)),
  device_bytes UInt64 CODEC(T64, ZSTD(1)), energy_mj UInt64 CODEC(T64, ZSTD(1)),
  fallback_nodes UInt32 CODEC(T64, ZSTD(1)), kernel_ns UInt64 CODEC(T64, ZSTD(1)), input_tokens UInt64 CODEC(T64, ZSTD(1)),
  output_tokens UInt64 CODEC(T64, ZSTD(1)), first_token_n UInt32 CODEC(T64, ZSTD(1)),
  first_token_ns UInt64 CODEC(T64, ZSTD(1)), token_n UInt32 CODEC(T64, ZSTD(1)), token_ns UInt64 CODEC(T64, ZSTD(1)),
  lost UInt64 CODEC(T64, ZSTD(1)), skipped UInt64 CODEC(T64, ZSTD(1)),
  batches_dropped UInt32 CODEC(T64, ZSTD(1)),
  bucket_first Int16 CODEC(ZSTD(1)), bucket_n Array(UInt32) CODEC(T64, ZSTD(1))
) ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (model, service, provider, host, ts)
  TTL toDateTime(ts) + INTERVAL 14 DAY
  SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS inftrace.inferences (
  ts DateTime64(9) CODEC(DoubleDelta, ZSTD(1)), host LowCardinality(String), boot LowCardinality(String),
  machine LowCardinality(String), service LowCardinality(String), service_version LowCardinality(String), k8s_namespace LowCardinality(String),
  k8s_pod LowCardinality(String), container LowCardinality(String), model LowCardinality(String),
  runtime LowCardinality(String), runtime_version LowCardinality(String), provider LowCardinality(String),
  device LowCardinality(String), reason LowCardinality(String), weight UInt32, ns UInt64 CODEC(T64, ZSTD(1)), pid UInt32,
  tid UInt32, inference UInt64 CODEC(T64, ZSTD(1)), cpu_ns UInt64 CODEC(T64, ZSTD(1)),
  wait_ns UInt64 CODEC(T64, ZSTD(1)), major_faults UInt32, read_bytes UInt64, at_a_time UInt32, trace_id String,
  span_id String, status String CODEC(ZSTD(1)), error LowCardinality(String), why String CODEC(ZSTD(1)),
  operators String CODEC(ZSTD(1)), recording String CODEC(ZSTD(1))
) ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY (model, service, reason, ts)
  TTL toDateTime(ts) + INTERVAL 31 DAY
  SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS inftrace.minutes (
  minute DateTime CODEC(DoubleDelta, ZSTD(1)), service LowCardinality(String), service_version LowCardinality(String),
  model LowCardinality(String), runtime LowCardinality(String), runtime_version LowCardinality(String),
  provider LowCardinality(String), device LowCardinality(String),
  n SimpleAggregateFunction(sum, UInt64), failed SimpleAggregateFunction(sum, UInt64),
  sum_ns SimpleAggregateFunction(sum, UInt64), max_ns SimpleAggregateFunction(max, UInt64),
  cpu_ns SimpleAggregateFunction(sum, UInt64), wait_ns SimpleAggregateFunction(sum, UInt64),
  created SimpleAggregateFunction(sum, UInt64), not_created SimpleAggregateFunction(sum, UInt64),
  hosts AggregateFunction(uniqCombined(12), String), buckets AggregateFunction(sumMap, Array(Int32), Array(UInt64))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(minute)
  ORDER BY (model, service, service_version, runtime, runtime_version, provider, device, minute)
  TTL minute + INTERVAL 400 DAY SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS inftrace.to_minutes TO inftrace.minutes AS
SELECT toStartOfMinute(toDateTime(ts)) AS minute, service, service_version, model, runtime, runtime_version, provider, device,
  sum(n) AS n, sum(failed) AS failed, sum(sum_ns) AS sum_ns, max(max_ns) AS max_ns, sum(cpu_ns) AS cpu_ns,
  sum(wait_ns) AS wait_ns, sum(created) AS created, sum(not_created) AS not_created,
  uniqCombinedState(12)(toString(host)) AS hosts,
  sumMapState(arrayMap(i -> toInt32(bucket_first + i - 1), arrayEnumerate(bucket_n)),
    arrayMap(x -> toUInt64(x), bucket_n)) AS buckets
FROM inftrace.intervals WHERE model != ''
GROUP BY minute, service, service_version, model, runtime, runtime_version, provider, device;

-- Of two arrays, buckets and how often each: the milliseconds that a share of them did not exceed.
CREATE FUNCTION IF NOT EXISTS inftrace_quantile_ms AS (buckets, counts, share) ->
  round(exp2((buckets[arrayFirstIndex(x -> x >= share * arraySum(counts), arrayCumSum(counts))] + 0.5) / 32) * 1000, 3);
