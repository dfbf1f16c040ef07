"""Updates, or how iterates move: a file that registers one, imported here, is known everywhere."""

from __future__ import annotations

from cdgrab_sim._records import Update
from cdgrab_sim.updates._adam import adam as adam
from cdgrab_sim.updates._adamw import adamw as adamw
from cdgrab_sim.updates._compressed import compressed as compressed
from cdgrab_sim.updates._compressed_scaffnew import compressed_scaffnew as compressed_scaffnew
from cdgrab_sim.updates._diana import diana as diana
from cdgrab_sim.updates._diana_nastya import diana_nastya as diana_nastya
from cdgrab_sim.updates._exact_diffusion import exact_diffusion as exact_diffusion
from cdgrab_sim.updates._gossip import gossip as gossip
from cdgrab_sim.updates._gradient_tracking import gradient_tracking as gradient_tracking
from cdgrab_sim.updates._heavy_ball import heavy_ball as heavy_ball
from cdgrab_sim.updates._iterates import iterates as iterates
from cdgrab_sim.updates._iterates import start as start
from cdgrab_sim.updates._local import local as local
from cdgrab_sim.updates._nastya import nastya as nastya
from cdgrab_sim.updates._nesterov import nesterov as nesterov
from cdgrab_sim.updates._q_nastya import q_nastya as q_nastya
from cdgrab_sim.updates._registry import UPDATES
from cdgrab_sim.updates._sag import sag as sag
from cdgrab_sim.updates._saga import saga as saga
from cdgrab_sim.updates._sarah import sarah as sarah
from cdgrab_sim.updates._scaffnew import scaffnew as scaffnew
from cdgrab_sim.updates._scaffold import scaffold as scaffold
from cdgrab_sim.updates._sgd import sgd as sgd
from cdgrab_sim.updates._svrg import svrg as svrg
from cdgrab_sim.updates._tamuna import tamuna as tamuna

UPDATES.arrange()

__all__ = ["UPDATES", "iterates", "make", *UPDATES.functions]


def __dir__() -> list[str]:
    return __all__


def make(update: Update | str) -> Update:
    """Return an update from a record or from a registered name, which means the defaults.

    Examples
    --------
    >>> make("nesterov").settings["momentum"]
    0.9
    """
    return UPDATES.make(update)
