"""From runs to rates: slopes with intervals over seeds, verdicts on predictions, and spectra of orders."""

from cdgrab_sim.analysis._paired import paired_test as paired_test
from cdgrab_sim.analysis._power import chance_to_agree as chance_to_agree
from cdgrab_sim.analysis._rates import RateFit as RateFit
from cdgrab_sim.analysis._rates import measurable as measurable
from cdgrab_sim.analysis._rates import rate as rate
from cdgrab_sim.analysis._spectrum import Spectrum as Spectrum
from cdgrab_sim.analysis._spectrum import spectrum as spectrum
from cdgrab_sim.analysis._time_to import time_to as time_to
from cdgrab_sim.analysis._time_to import uncensored as uncensored
from cdgrab_sim.analysis._tuning import Tuned as Tuned
from cdgrab_sim.analysis._tuning import tune as tune
from cdgrab_sim.analysis._verdict import Verdict as Verdict
from cdgrab_sim.analysis._verdict import t_interval as t_interval
from cdgrab_sim.analysis._verdict import verdict as verdict
from cdgrab_sim.analysis._verdict import verdict_in_errors as verdict_in_errors
from cdgrab_sim.analysis._verdict import word_within as word_within

__all__ = [
    "RateFit",
    "Spectrum",
    "Tuned",
    "Verdict",
    "chance_to_agree",
    "measurable",
    "paired_test",
    "rate",
    "spectrum",
    "t_interval",
    "time_to",
    "tune",
    "uncensored",
    "verdict",
    "verdict_in_errors",
    "word_within",
]


def __dir__() -> list[str]:
    return __all__
