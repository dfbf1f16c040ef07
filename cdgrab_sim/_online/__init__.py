"""Orders for somebody else's training loop: gradients go in as they come, orders come out every epoch.

`_online` is the object and its loop, `_window` what waits for other workers, `_leaves` how gradients of any
kind become rows of numbers, `_state` how everything is saved, `_sampler` what a data loader takes.
"""

from cdgrab_sim._online._online import Online as Online
from cdgrab_sim._online._online import online as online
from cdgrab_sim._online._sampler import Sampler as Sampler
