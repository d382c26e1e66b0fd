SELECT args ->> 'op_type', json_group_array(name) FROM slices GROUP BY 1;
