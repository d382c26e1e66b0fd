SELECT i.id, i.duration_ns, avg(s.value) AS cpu_percent
FROM inferences i JOIN samples s ON s.process_id = i.process_id AND s.name = 'cpu'
  AND s.time_ns >= i.begin_ns AND s.time_ns < i.end_ns
GROUP BY i.id;
