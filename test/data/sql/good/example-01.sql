SELECT model, count(*) AS n, median(duration_ns) AS p50_ns, percentile(duration_ns, 99) AS p99_ns
FROM inferences WHERE is_typical GROUP BY model;
