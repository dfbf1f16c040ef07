"""SGD over m workers in lockstep: the engine, what it records, and orderings replayed on its gradients."""
