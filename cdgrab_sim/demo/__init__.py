"""What a lesson shows: the walk of the prefix sums in the plane, on a page of its own and in a live app."""

from __future__ import annotations

from cdgrab_sim.demo._lesson import Lesson, Strand, lesson
from cdgrab_sim.demo._page import page

__all__ = ["Lesson", "Strand", "lesson", "page"]
