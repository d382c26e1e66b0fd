SELECT name, args ->> 'count' AS count FROM slices WHERE kind = 'phase' AND args ->> 'count' IS NOT NULL;
