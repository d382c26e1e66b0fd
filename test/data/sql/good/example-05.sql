SELECT cause, count(*) AS inferences, sum(excess_ns) AS excess_ns FROM slowest_causes GROUP BY cause ORDER BY 3 DESC;
