SELECT name, sum(duration_ns) AS total_ns FROM phases WHERE depth = 1 GROUP BY name ORDER BY total_ns DESC;
