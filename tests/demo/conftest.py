"""A browser for the pages; tests that need one say so when it is missing."""

import shutil

import pytest


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium, that of the system."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright drives the browser: pip install playwright"
    )
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


PAINT = """(element, name) => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d");
  brush.fillStyle = getComputedStyle(element)[name];
  brush.fillRect(0, 0, 1, 1);
  return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


class Tab:
    """A page, and everything that it said and asked for."""

    def __init__(self, browser, url, **context):
        self.said, self.asked = [], []
        self.page = browser.new_context(**context).new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(url)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def luminance(self, selector, name="color"):
        """Relative luminance, 0..1, of a colour as it is painted: its text may be in any colour space."""
        shares = [share / 255 for share in self.page.locator(selector).first.evaluate(PAINT, name)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, ink, paper):
        """Contrast ratio, 1..21, of two (selector, name) of colours."""
        low, high = sorted(self.luminance(*color) for color in (ink, paper))
        return (high + 0.05) / (low + 0.05)


@pytest.fixture
def open_tab(chromium):
    """Open a page; its context is closed afterwards."""
    tabs = []

    def open_one(url, **context):
        tabs.append(Tab(chromium, url, **context))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.page.context.close()
