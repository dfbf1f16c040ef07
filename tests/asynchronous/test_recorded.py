"""Job times from a record of jobs."""

import numpy as np
import pytest

import cdgrab_sim as cg
from cdgrab_sim.asynchronous import AsyncRecord, job_times

PROBLEM = cg.problems.quadratic(m=1, n=8, d=1)
RECORD = AsyncRecord(events=True, loss=False)


def jobs(rng, workers=3, most=6):
    """Rows in any order; workers 10, 20, ... have different numbers of jobs."""
    rows = [
        [10 * (i + 1), j + 0.5 * rng.random(), rng.integers(1, 9)]
        for i in range(workers)
        for j in range(1 + int(rng.integers(most)))
    ]
    return np.array(rows)[rng.permutation(len(rows))]


def run(times, **changes):
    options = {"updates": 60, "step_size": 0.01, "record": RECORD, "workers": 3} | changes
    return cg.simulate_async(PROBLEM, "vanilla", job_times=times, **options)


def test_every_worker_walks_its_own_jobs_again_and_again():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = jobs(rng)
        events = run(job_times.recorded(table)).events
        for i in range(3):
            mine = table[table[:, 0] == 10 * (i + 1)]
            expected = mine[np.argsort(mine[:, 1]), 2]
            took = (events["time"] - events["start"])[events["worker"] == i]
            np.testing.assert_array_equal(took, np.resize(expected, len(took)))


def test_files_say_what_arrays_say(tmp_path):
    table = jobs(np.random.default_rng(1))
    np.save(tmp_path / "jobs.npy", table)
    rows = ["duration,host,worker,start"] + [f"{d},a,{int(w)},{s}" for w, s, d in table.tolist()]
    (tmp_path / "jobs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    expected = run(job_times.recorded(table)).events["time"]
    for name in ("jobs.npy", "jobs.csv"):
        np.testing.assert_array_equal(run(job_times.recorded(tmp_path / name)).events["time"], expected)


def test_a_table_of_equal_rows_is_a_table():
    table = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 1.0], [2.0, 2.0, 5.0]])
    rows = run(job_times.fixed(tuple(table)))
    np.testing.assert_array_equal(rows.events["time"], run(job_times.fixed(table)).events["time"])
    np.testing.assert_array_equal(
        run(job_times.fixed((1, 2, 3))).events["time"], run(job_times.fixed([1, 2, 3])).events["time"]
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 0.0, 1.0], [0.5, 0.0, 1.0]], "jobs, job 1: expected a whole worker"),
        ([[0, 0.0, 0.0]], "jobs, job 0: expected .* a duration > 0"),
        ([[0, 1.0]], r"jobs: expected shape \(jobs, 3\)"),
    ],
)
def test_what_is_no_job_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        job_times.recorded(table)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "worker,begin,duration\n0,0,1\n", "no column 'start' in its header"),
        (
            "b.csv",
            "worker,start,duration\n0,0,long\n",
            "expected a CSV file .*; could not convert",
        ),
        ("c.csv", "worker,start,duration\n", "no row follows its header"),
        ("d.npy", "no array", "expected a .npy file of numbers"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        job_times.recorded(tmp_path / name)
    assert str(tmp_path / name) in str(error.value)


def test_a_record_of_other_workers_is_refused():
    with pytest.raises(ValueError, match="expected the jobs of 4 workers; got those of 3"):
        run(job_times.recorded(jobs(np.random.default_rng(2))), workers=4)
