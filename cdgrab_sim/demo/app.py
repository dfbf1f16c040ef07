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
    fit = "<style>.walks svg { width: 100%; height: auto; }</style>"
    rows = [f"| {name} | {seen.errors[name]:.3f} | {seen.floors[name]:.3e} |" for name in seen.runs]
    table = "\n".join(["| ordering | herding error | loss in the end |", "|---|---|---|", *rows])
    described = f'<div class="walks" role="img" aria-label="{sentence}">{seen.svg()}</div>{fit}'
    mo.vstack([mo.md(f"**{sentence}**"), mo.Html(described), mo.md(table)])
    return


if __name__ == "__main__":
    app.run()
