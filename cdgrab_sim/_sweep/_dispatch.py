"""Dispatch: bundles of tasks to lanes of workers, and what happens when a worker dies.

A lane is an executor and the number of bundles that it is given at the same time. A bundle in flight on a
worker that dies is split, and each of its tasks runs again, alone. A task that dies alone twice is lost; a
task that died in company proves nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from time import monotonic

from cdgrab_sim._sweep._bundle import LOST, Bundle, Outcome, run_packed
from cdgrab_sim._sweep._config import Config
from cdgrab_sim._sweep._process import NotStarted

_BUNDLE_SECONDS = 0.1  # a hand-over costs about 1 ms, with dask 3 ms
_HANDOVERS = 200.0  # bundles per second at most, so that one scheduler can feed many workers
_DEATHS_ALONE = 2  # one may be the work of somebody else, for example of the kernel short of memory
_WINDOW = 8, 1024  # bundles in flight on an executor of unknown size, at first and at most
_PATIENCE = 1.0  # seconds
_STILLBORN = 20  # workers killed before their first task, in a row: something is wrong with the machine


class Lane:
    """An executor, made when it is first used and made again when it broke.

    Parameters
    ----------
    make : callable
        Returns the executor.
    width : int, optional
        Bundles in flight. Without, as many as keep the workers busy: the window grows while bundles come
        back about as fast as they run, hence find an idle worker.
    owned : bool
        The lane ends the executor and may make another one.
    """

    def __init__(self, make: Callable[[], Executor], *, width: int | None = None, owned: bool = True) -> None:
        self._make, self._owned = make, owned
        self._adapts = width is None
        self.width = _WINDOW[0] if width is None else width
        self.load = 0
        self._executor: Executor | None = None

    @property
    def executor(self) -> Executor:
        """The executor in use."""
        if self._executor is None:
            self._executor = self._make()
        return self._executor

    def widen(self, by: int) -> None:
        """Allow more bundles in flight, where their number is not given."""
        if self._adapts:
            self.width = min(self.width + by, _WINDOW[1])

    def replace(self, broken: Executor, error: BaseException) -> None:
        """Forget an executor that broke, so that the next bundle goes to a new one."""
        if broken is not self._executor:
            return
        if not self._owned:
            raise RuntimeError(
                f"the executor broke ({error}); finished runs are kept; pass a function that makes "
                "executors, so that a broken one can be replaced"
            ) from None
        self.close()

    def close(self) -> None:
        """End the executor, if it is ours to end."""
        if self._executor is not None and self._owned:
            self._executor.shutdown(wait=True)
        self._executor = None


@dataclass(frozen=True)
class _Flight:
    lane: Lane
    executor: Executor
    bundle: Bundle
    alone: bool
    start: float


class Dispatcher:
    """Runs tasks on lanes; iterate over `landings` once, and close."""

    def __init__(self, packed: bytes, tasks: Sequence[tuple[int, Config]], lanes: Sequence[Lane]) -> None:
        self._packed, self._lanes = packed, lanes
        self._fresh = deque(tasks)
        self._suspects: deque[tuple[int, Config]] = deque()
        self._deaths: Counter[int] = Counter()
        self._flights: dict[Future[list[Outcome]], _Flight] = {}
        self._tickets = itertools.count()
        self._stillborn = 0  # workers in a row that did not live to see their first task
        self._size = 1  # tasks per bundle
        self._pace = _BUNDLE_SECONDS  # seconds per task, of the latest bundle

    def landings(self) -> Iterator[list[Outcome]]:
        """Yield outcomes in the order of completion; workers are busy while the caller looks at them."""
        self._fill()
        while self._flights:
            done, _ = wait(self._flights, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
            if not done:
                for lane in self._lanes:
                    lane.widen(lane.width)
            landed = [outcome for future in done for outcome in self._land(future)]
            self._fill()
            yield landed

    def close(self) -> None:
        """Give up what is in flight, and end the executors that are ours."""
        for future in self._flights:
            future.cancel()
        for lane in self._lanes:
            lane.close()

    def _fill(self) -> None:
        for lane in self._lanes:
            while self._fresh and lane.load < lane.width:
                self._send(lane, self._next_bundle(), alone=lane.width == 1)
            if self._suspects and not self._fresh and lane.load == 0:
                self._send(lane, [self._suspects.popleft()], alone=True)

    def _next_bundle(self) -> Bundle:
        width = sum(lane.width for lane in self._lanes)
        seconds = max(_BUNDLE_SECONDS, width / _HANDOVERS)
        fitting = int(seconds / self._pace) if self._pace > 0 else 2 * self._size
        self._size = max(1, min(fitting, 2 * self._size))
        share = len(self._fresh) // (2 * width)
        return [self._fresh.popleft() for _ in range(max(1, min(self._size, share)))]

    def _send(self, lane: Lane, bundle: Bundle, *, alone: bool) -> None:
        executor = lane.executor
        ticket = next(self._tickets)
        try:
            future = executor.submit(run_packed, self._packed, bundle, ticket)
        except BrokenExecutor as error:  # it broke while idle: nobody's fault
            lane.replace(executor, error)
            executor = lane.executor
            future = executor.submit(run_packed, self._packed, bundle, ticket)
        lane.load += 1
        self._flights[future] = _Flight(lane, executor, bundle, alone and len(bundle) == 1, monotonic())

    def _land(self, future: Future[list[Outcome]]) -> list[Outcome]:
        flight = self._flights.pop(future)
        flight.lane.load -= 1
        error = CancelledError("cancelled") if future.cancelled() else future.exception()
        if error is None:
            return self._learn(flight, future.result())
        if isinstance(error, NotStarted):
            return self._take_back(flight, error)
        if isinstance(error, BrokenExecutor):
            flight.lane.replace(flight.executor, error)
        elif type(error).__name__ != "KilledWorker":  # dask's word for the same; its pool heals itself
            raise RuntimeError(
                f"the executor gave up ({type(error).__name__}: {error}); finished runs are kept"
            ) from error
        return self._investigate(flight, error)

    def _learn(self, flight: _Flight, outcomes: list[Outcome]) -> list[Outcome]:
        seconds = sum(outcome.seconds for outcome in outcomes)
        self._pace = seconds / len(outcomes)
        self._stillborn = 0
        if monotonic() - flight.start < 2.0 * seconds + 0.01:
            flight.lane.widen(1)
        return outcomes

    def _take_back(self, flight: _Flight, error: BaseException) -> list[Outcome]:
        flight.lane.replace(flight.executor, error)
        self._stillborn += 1
        if self._stillborn == _STILLBORN:
            raise RuntimeError(f"{_STILLBORN} workers in a row: {error}; is there enough memory?") from error
        if flight.alone:
            self._suspects.extend(flight.bundle)
        else:
            self._fresh.extendleft(reversed(flight.bundle))
        return []

    def _investigate(self, flight: _Flight, error: BaseException) -> list[Outcome]:
        if flight.alone:
            position, _ = flight.bundle[0]
            self._deaths[position] += 1
            if self._deaths[position] == _DEATHS_ALONE:
                return [Outcome(position, LOST, {}, 0.0, f"its worker died whenever it ran alone: {error}")]
        self._suspects.extend(flight.bundle)
        return []
