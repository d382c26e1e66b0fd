SELECT o.name, o.op_type, o.duration_ns, o.tid
FROM (SELECT id FROM inferences WHERE end_ns IS NOT NULL ORDER BY duration_ns DESC LIMIT 1) i
JOIN operators o ON o.inference_id = i.id ORDER BY o.begin_ns;
