"""The records that travel through the house: Problem, Ordering, Update, Record.

An epoch is two stages that meet in an array, the stream of gradients:

    walk     (problem, update)   follow the orders pi, move the iterates, write the stream G (steps, m, d)
    observe  (ordering)          read what was seen, fill the next orders

Problems say what gradients are, orderings who comes when, updates how iterates move. They are records of a
few functions: configuration, which never changes. Whatever an ordering or an update remembers lives in the
state that it returns and receives.
"""

from cdgrab_sim._records._ordering import Ordering as Ordering
from cdgrab_sim._records._ordering import Seen as Seen
from cdgrab_sim._records._problem import Problem as Problem
from cdgrab_sim._records._record import Record as Record
from cdgrab_sim._records._update import Iterates as Iterates
from cdgrab_sim._records._update import Update as Update
