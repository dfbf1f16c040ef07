"""What ``cdgrab new`` writes: files that work as they are, in which ``my_...`` becomes a name."""
