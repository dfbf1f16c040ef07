"""Two processes train together, and a third one is their server: it averages, and orders examples.

python docs/how-to/order_server.py
"""

from __future__ import annotations

import multiprocessing
import time

import numpy as np

import cdgrab_sim as cg

M, N, D, EPOCHS, STEP = 2, 128, 64, 6, 0.01


def data(worker):
    """Return features and labels that only this worker has."""
    rng = np.random.default_rng([7, worker])
    A = rng.standard_normal((N, D))
    return A, A.sum(axis=1) + rng.standard_normal(N)


def work(worker, server):
    """Send gradients, receive mean gradients, and at the end of an epoch the order of the next one."""
    A, b = data(worker)
    x = np.zeros(D)
    for _ in range(EPOCHS):
        order = server.recv()
        for j in order:
            server.send_bytes((A[j] * (A[j] @ x - b[j])).tobytes())
            x -= STEP * np.frombuffer(server.recv_bytes())
    server.send(x)


def serve(workers, ordering):
    """Return the seconds spent on orders, and on everything, and the bytes that were received."""
    orders = cg.online(ordering, m=M, n=N, d=D)
    spent, received, start = 0.0, 0, time.perf_counter()
    for _ in range(EPOCHS):
        for i, worker in enumerate(workers):
            worker.send(orders.order(i))
        for _ in range(N):
            G = np.array([np.frombuffer(worker.recv_bytes()) for worker in workers])
            received += G.nbytes
            mean = G.mean(axis=0).tobytes()
            for worker in workers:
                worker.send_bytes(mean)
            before = time.perf_counter()  # the workers are at their next gradients meanwhile
            orders.observe(G)
            spent += time.perf_counter() - before
        before = time.perf_counter()
        orders.end_epoch()
        spent += time.perf_counter() - before
    return spent, time.perf_counter() - start, received


def train(ordering):
    """Train in processes of their own; return the iterate of each worker, and what `serve` returns."""
    context = multiprocessing.get_context("spawn")
    ends = [context.Pipe() for _ in range(M)]
    processes = [context.Process(target=work, args=(i, end[1])) for i, end in enumerate(ends)]
    for process in processes:
        process.start()
    workers = [end[0] for end in ends]
    cost = serve(workers, ordering)
    iterates = [worker.recv() for worker in workers]
    for process in processes:
        process.join()
    return iterates, cost


def main():
    """Show what the orders cost the server."""
    cg.online("cd-grab", m=M, n=2, d=D).observe(np.ones((2, M, D)))  # compiled before the clock runs
    for ordering in ("rr", "cd-grab"):
        _, (spent, whole, received) = train(ordering)
        steps = EPOCHS * N
        each, of_these = 1e6 * whole / steps, 1e6 * spent / steps
        print(
            f"{ordering}: {each:.0f} us per step, of these {of_these:.1f} for orders; "
            f"{received // (steps * M)} bytes per gradient, {8 * N} per worker and epoch for orders"
        )


if __name__ == "__main__":
    main()
