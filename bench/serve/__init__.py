"""What `tagloom serve` takes: requests per second, latency at a fixed rate, memory over many requests."""
