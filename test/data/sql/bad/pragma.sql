PRAGMA query_only = 0; PRAGMA temp_store_directory = '/tmp';
