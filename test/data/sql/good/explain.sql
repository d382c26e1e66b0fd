EXPLAIN QUERY PLAN SELECT * FROM operators WHERE name = 'outer' AND begin_ns BETWEEN 1 AND 2;
