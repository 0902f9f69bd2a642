"""The page on every screen: themes, contrast, phones and paper."""

import pytest

pytestmark = pytest.mark.browser


def test_light_and_dark_by_system_and_by_button(browser):
    def shown():
        colour = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"
        page = (
            "light" if browser.js(f"{colour}.reduce((sum, part) => sum + Number(part), 0)") > 400 else "dark"
        )
        images = "Array.from(document.querySelectorAll('figure img'))"
        kinds = browser.js(f"{images}.filter((image) => image.offsetWidth).map((image) => image.className)")
        red, _, blue = browser.colour_of("img.any-theme")
        return page, sorted(kinds), "light" if red > blue else "dark"

    def click():
        return browser.js(
            "document.querySelector('#theme').click(), document.querySelector('#theme').textContent"
        )

    light = ("light", ["any-theme", "for-light"], "light")
    dark = ("dark", ["any-theme", "for-dark"], "dark")
    assert shown() == light
    browser.prefer("dark")
    assert shown() == dark
    assert (click(), shown()) == ("Theme: light", light)
    assert (click(), shown()) == ("Theme: dark", dark)
    browser.prefer("light")
    assert shown() == dark
    assert (click(), shown()) == ("Theme: auto", light)
    browser.prefer("dark", media="print")
    assert shown() == light


# The smallest contrast of a text with what is behind it, as WCAG counts it, and where that is.
CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * linear(c[i] / 255), 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const kinds = "h1, h2, h3, p, a, li, label, output, figcaption, span, td, th, dt, summary";
  const texts = Array.from(document.querySelectorAll(kinds)).filter((e) => e.offsetWidth > 1);
  const ratios = texts.map((e) => {
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), e.className || e.tagName];
  });
  return ratios.sort((x, y) => x[0] - y[0])[0];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(browser, scheme):
    browser.prefer(scheme)
    ratio, where = browser.js(f"({CONTRAST})()")
    assert ratio >= 4.5, where


def test_the_first_screen_of_a_phone_has_question_answer_ranking_and_figure(browser):
    browser.resize(400, 820, mobile=True)
    order = ["h1", ".answer", "#encodings", ".lead figure img"]
    tops = [browser.js(f"document.querySelector({each!r}).getBoundingClientRect().top") for each in order]
    assert tops == sorted(tops)
    assert browser.js("document.querySelector('.lead figure img').getBoundingClientRect().top") < 820
    first = "Array.from(document.querySelectorAll('#encodings tbody th')).map((cell) => cell.textContent)"
    assert browser.js(first)[:2] == ["LPE-E", "SLPE-I"]


# Cells of open tables whose text is cut off or lies outside the window.
CUT_OFF = """() => Array.from(document.querySelectorAll("tbody td, tbody th")).filter((cell) => {
  const box = cell.getBoundingClientRect();
  return box.width && (box.left < 0 || box.right > innerWidth || cell.scrollWidth > cell.clientWidth + 1);
}).map((cell) => cell.closest("table").id + ": " + cell.textContent.trim())"""


@pytest.mark.parametrize("width", [360, 400])
def test_on_a_phone_every_cell_is_in_sight(browser, width):
    browser.resize(width, 820, mobile=True)
    browser.js("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.js(f"({CUT_OFF})()") == []
    # A card says what its figures are.
    label_of = "getComputedStyle(document.querySelector('#cells tbody tr').cells[4], '::before').content"
    assert browser.js(label_of) == '"AUC"'


@pytest.mark.parametrize("width", [320, 400, 768])
def test_nothing_overflows(browser, width):
    browser.resize(width, 800, mobile=width < 500)
    browser.js("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.js("document.scrollingElement.scrollWidth") <= width
    browser.js("document.querySelector('#runs-table tbody tr:last-child button').click()")
    box = browser.js(
        "(b => [b.left, b.right])(document.querySelector('#run-dialog').getBoundingClientRect())"
    )
    assert 0 <= box[0] < box[1] <= width
    assert browser.js("(d => d.scrollWidth <= d.clientWidth)(document.querySelector('#run-dialog'))")


def test_it_prints(browser):
    browser.prefer("dark", media="print")
    hidden = (
        "['.filters', 'nav', '#theme', '.skip'].every((s) => document.querySelector(s).offsetWidth === 0)"
    )
    assert browser.js(hidden)
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.js(
        "Array.from(document.querySelectorAll('.scroll')).filter((e) => e.offsetWidth)"
        ".every((e) => e.scrollHeight <= e.clientHeight + 1)"
    )
    pdf = browser.pdf()
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
