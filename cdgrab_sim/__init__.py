"""A reference laboratory for example orderings in SGD."""

from cdgrab_sim._version import __version__ as __version__
