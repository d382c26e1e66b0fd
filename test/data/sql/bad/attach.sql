ATTACH '/tmp/x.db' AS x; CREATE TABLE x.t AS SELECT * FROM operators;
