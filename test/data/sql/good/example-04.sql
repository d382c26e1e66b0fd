SELECT model, rank, duration_ns, median_ns, why FROM slowest WHERE rank <= 3;
