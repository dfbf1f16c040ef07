"""Sweeps: tasks over configurations, on any engine, stored as they finish.

    configurations (_grid, _config)  ->  execute (_execute)  ->  store (_store, _open)  ->  Sweep (_results)
                                          lanes of workers (_engines, _dispatch, _process, _worker, _bundle)

`execute` is the bottom layer, for any task; `sweep` is `execute` with the task "simulate one configuration".
"""

from cdgrab_sim._sweep._api import sweep
from cdgrab_sim._sweep._execute import execute
from cdgrab_sim._sweep._results import Sweep, open_sweep

__all__ = ["Sweep", "execute", "open_sweep", "sweep"]
