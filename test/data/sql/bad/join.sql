SELECT count(*) FROM slices a, slices b, slices c, slices d, slices e;
