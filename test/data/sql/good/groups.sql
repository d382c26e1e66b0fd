SELECT name, op_type, count(*) FROM operators GROUP BY name, op_type;
SELECT DISTINCT model FROM inferences;
