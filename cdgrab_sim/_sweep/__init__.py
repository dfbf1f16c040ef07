"""Sweeps: tasks over configurations, on any engine, stored as they finish."""

from cdgrab_sim._sweep._execute import execute

__all__ = ["execute"]
