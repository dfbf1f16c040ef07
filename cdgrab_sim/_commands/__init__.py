"""Commands that are no experiments; the command line lists them in `cdgrab_sim.cli`."""
