# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The live demo, a marimo app: ``cdgrab demo`` serves it."""

import marimo

app = marimo.App(width="full", app_title="Why the order of examples matters")


@app.cell
def _():
    import marimo as mo

    from cdgrab_sim.demo._live import CHOICES, EPOCHS, live

    return CHOICES, EPOCHS, live, mo


@app.cell
def _(CHOICES, EPOCHS, mo):
    slider = mo.ui.slider
    controls = mo.ui.dictionary(  # a plain dict would not be watched
        {
            "m": slider(steps=[1, 2, 4, 8, 16, 32], value=4, label="workers m", show_value=True),
            "n": slider(steps=[8, 16, 32, 64, 128], value=32, label="examples per worker n", show_value=True),
            "d": slider(steps=[2, 3, 4, 8, 16], value=2, label="dimension d", show_value=True),
            "ordering": mo.ui.dropdown(CHOICES, value="cd-grab", label="ordering"),
            "heterogeneity": slider(0.0, 2.0, 0.25, value=0.0, label="heterogeneity", show_value=True),
            "seed": slider(0, 20, 1, value=0, label="seed", show_value=True),
            "epoch": slider(0, EPOCHS - 1, 1, value=10, label="epoch of the orders", show_value=True),
        }
    )
    title = mo.md("# Why the order of examples matters")
    mo.vstack([title, mo.hstack(controls.elements.values(), wrap=True, justify="start")])
    return (controls,)


@app.cell
def _(controls):
    chosen = controls.value
    return (chosen,)


@app.cell
def _(chosen, live):
    seen = live(**chosen)
    sentence = seen.sentence()
    return seen, sentence


@app.cell
def _(mo, seen, sentence):
    looks = """<style>
    .pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
    .pictures figure { flex: 1 1 18rem; max-width: 44rem; margin: 0; }
    .pictures svg { width: 100%; height: auto; filter: brightness(0.82); }
    @media (prefers-color-scheme: dark) { .pictures svg { filter: brightness(1.3); } }
    </style>"""  # orange is too light for white paper, blue too dark for black
    names = ("walk of the prefix sums", "norms of the prefix sums", "loss curves", "power of the orders")
    figures = "".join(
        f'<figure role="img" aria-label="{name}. {sentence}">{picture}</figure>'
        for name, picture in zip(names, seen.pictures(), strict=True)
    )
    rows = [f"| {name} | {seen.errors[name]:.3f} | {seen.floors[name]:.3e} |" for name in seen.runs]
    table = "\n".join(["| ordering | herding error | loss in the end |", "|---|---|---|", *rows])
    drawn = mo.Html(f'{looks}<div class="pictures">{figures}</div>')
    mo.vstack([mo.md(f"**{sentence}**"), drawn, mo.md(table)])
    return


if __name__ == "__main__":
    app.run()
