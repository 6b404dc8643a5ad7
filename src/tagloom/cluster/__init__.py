"""Ray as the other packages see it: the cluster, work on its workers, and objects that its workers hold."""
