SELECT zeroblob(1000000000), printf('%.*c', 100000000, 'x'), randomblob(1e9);
