SELECT * FROM recording; SELECT * FROM sessions; SELECT * FROM slowest_causes; SELECT * FROM overlap;
