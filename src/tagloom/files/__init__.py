"""Every byte that goes to disk: checked containers, checkpoints, caches."""
