SELECT load_extension('/tmp/x.so'), writefile('/tmp/x', 'y');
