SELECT percentile(name, 50), percentile(1, -1), median(x'00') FROM operators;
