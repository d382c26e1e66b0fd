SELECT id, lag(end_ns) OVER (PARTITION BY process_id ORDER BY begin_ns) FROM inferences;
