"""Methods of asynchronous SGD: a file that registers one in `METHODS`, imported here, is known everywhere."""

from __future__ import annotations

from cdgrab_sim import _checks
from cdgrab_sim.asynchronous._records import Method
from cdgrab_sim.asynchronous.methods._assigned import assigned as assigned
from cdgrab_sim.asynchronous.methods._braking import adaptive_braking as adaptive_braking
from cdgrab_sim.asynchronous.methods._by_delay import delay_adaptive as delay_adaptive
from cdgrab_sim.asynchronous.methods._by_delay import delay_capped as delay_capped
from cdgrab_sim.asynchronous.methods._by_delay import drop_by_age as drop_by_age
from cdgrab_sim.asynchronous.methods._by_delay import ringmaster as ringmaster
from cdgrab_sim.asynchronous.methods._clipped import clipped as clipped
from cdgrab_sim.asynchronous.methods._compensated import delay_compensated as delay_compensated
from cdgrab_sim.asynchronous.methods._compensated import exactly_compensated as exactly_compensated
from cdgrab_sim.asynchronous.methods._dana import dana as dana
from cdgrab_sim.asynchronous.methods._filtered import filtered_batches as filtered_batches
from cdgrab_sim.asynchronous.methods._gap_aware import gap_aware as gap_aware
from cdgrab_sim.asynchronous.methods._malenia import malenia as malenia
from cdgrab_sim.asynchronous.methods._ordered import ordered_anytime as ordered_anytime
from cdgrab_sim.asynchronous.methods._ordered import ordered_heavy_ball as ordered_heavy_ball
from cdgrab_sim.asynchronous.methods._ordered import ordered_mu_squared as ordered_mu_squared
from cdgrab_sim.asynchronous.methods._picky import picky as picky
from cdgrab_sim.asynchronous.methods._registry import METHODS as METHODS
from cdgrab_sim.asynchronous.methods._rescaled import rescaled as rescaled
from cdgrab_sim.asynchronous.methods._ringleader import ringleader as ringleader
from cdgrab_sim.asynchronous.methods._rounds import buffered as buffered
from cdgrab_sim.asynchronous.methods._rounds import first_k as first_k
from cdgrab_sim.asynchronous.methods._rounds import mini_batch as mini_batch
from cdgrab_sim.asynchronous.methods._rounds import rennala as rennala
from cdgrab_sim.asynchronous.methods._storm import storm as storm
from cdgrab_sim.asynchronous.methods._table import delay_adaptive_table as delay_adaptive_table
from cdgrab_sim.asynchronous.methods._table import gradient_table as gradient_table
from cdgrab_sim.asynchronous.methods._vanilla import vanilla as vanilla


def make(method: Method | str, workers: int) -> Method:
    """Return a method from a record or from a registered name, which means the defaults for m workers.

    Examples
    --------
    >>> make("rennala", 4).provenance
    'arXiv 2305.12387'
    """
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise TypeError(
            f"method: expected a Method or a name; "
            f"got {_checks.brief(method)}; call its factory, as in methods.vanilla()"
        )
    return METHODS.factory(method)(m=_checks.size("workers", workers))
