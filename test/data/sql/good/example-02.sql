SELECT op_type, count(*) AS calls, sum(duration_ns) AS total_ns, percentile(duration_ns, 90) AS p90_ns
FROM operators GROUP BY op_type ORDER BY total_ns DESC LIMIT 10;
