SELECT model, sum(unattributed_ns) * 1.0 / sum(duration_ns) AS unattributed_share FROM unattributed GROUP BY model;
