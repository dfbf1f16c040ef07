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
    from cdgrab_sim.demo._names import NAMES

    return CHOICES, EPOCHS, NAMES, live, mo


@app.cell
def _(CHOICES, EPOCHS, NAMES, mo):
    def slider(label, *ends, **more):
        return mo.ui.slider(*ends, label=label, show_value=True, **more)

    choices = {NAMES[code][0]: code for code in CHOICES}
    usual = ["D-GraB", "CD-GraB"]
    controls = mo.ui.dictionary(  # a plain dict would not be watched
        {
            "m": slider("workers", steps=[1, 2, 4, 8, 16, 32], value=4),
            "n": slider("examples of each worker", steps=[8, 16, 32, 64, 128], value=32),
            "d": slider("dimension", steps=[2, 3, 4, 8, 16], value=2),
            "others": mo.ui.multiselect(choices, value=usual, label="beside random reshuffling"),
            "heterogeneity": slider("how much workers differ", 0.0, 2.0, 0.25, value=0.0),
            "seed": slider("seed", 0, 20, 1, value=0),
            "epoch": slider("epoch of the orders", 0, EPOCHS - 1, 1, value=10),
        }
    )
    title = mo.md("# Why the order of examples matters")
    story = mo.md(
        """SGD takes one gradient after the other; several workers take one each at every step, and their sum
        moves the model. Near the optimum the gradients of an epoch add up to nothing, but on the
        way there the sum wanders. The first picture shows this walk, from the dot in the centre
        and back to it, the second how far it gets at every step: its highest point is the
        *herding error*. The nearer the walk stays to zero, the less the order disturbs SGD, and
        the lower its loss ends, in the third. GraB sorts examples so that the walk stays short:
        in D-GraB each worker does so alone, in CD-GraB one running sum coordinates them. The last
        picture shows which frequencies the steps of the walk fill: short walks have little power
        at low ones."""
    )
    mo.vstack([title, story, mo.hstack(controls.elements.values(), wrap=True, justify="start")])
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
    cells = {title: (seen.errors[name], seen.floors[name]) for name, title in seen.titles.items()}
    rows = [f"| {title} | {error:.3f} | {floor:.3e} |" for title, (error, floor) in cells.items()]
    table = "\n".join(["| ordering | herding error | loss in the end |", "|---|---|---|", *rows])
    drawn = mo.Html(f'{looks}<div class="pictures">{figures}</div>')
    mo.vstack([mo.md(f"**{sentence}**"), drawn, mo.md(table)])
    return


if __name__ == "__main__":
    app.run()
