SELECT process_id, duration_ns, next_model FROM gaps ORDER BY duration_ns DESC LIMIT 5;
SELECT model, other_model, count(*) AS pairs, sum(duration_ns) AS duration_ns FROM overlap GROUP BY model, other_model;
