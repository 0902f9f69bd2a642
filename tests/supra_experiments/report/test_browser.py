"""The page in a real browser: nothing is loaded, nothing complains, tables sort, filter and are saved."""

import csv
import io
import re

import pytest

from supra_experiments.words import label

from ..report_records import HOSTILE

pytestmark = pytest.mark.browser

# The cells of a column as shown, top to bottom.
WORDS = """(table, column) => Array.from(document.querySelectorAll(`#${table} tbody tr`))
  .filter((row) => !row.hidden).map((row) => row.cells[column].textContent.trim())"""

FOCUS = "(e) => e.name || e.id || (e.closest('thead') ? 'header' : e.className)"


def words(browser, table, position):
    return browser.js(f"({WORDS})({table!r}, {position})")


def numbers(browser, table, position):
    """The numbers that cells start with; None for a dash."""
    found = [re.match(r"[−+]?[\d.]+", cell) for cell in words(browser, table, position)]
    return [None if number is None else float(number[0].replace("−", "-")) for number in found]


def choose(browser, name, value):
    browser.js(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }})"
        f"(document.querySelector('#filters').elements[{name!r}])"
    )


def test_it_loads_and_asks_for_nothing(browser):
    assert browser.js("document.querySelectorAll('table.data').length") > 8
    assert browser.js("Array.from(document.images).every((image) => image.naturalWidth > 0)")
    with pytest.raises(RuntimeError):  # nor could it: the page's policy forbids
        browser.js("fetch('https://example.org/')")
    assert any("Content Security Policy" in error for error in browser.errors)
    browser.errors.clear()


def test_a_click_sorts_by_number_up_down_and_back(browser):
    before = numbers(browser, "cells", 4)
    click = "document.querySelectorAll('#cells thead button')[4].click()"
    state = "document.querySelectorAll('#cells thead th')[4].getAttribute('aria-sort')"
    seen = []
    for _ in range(3):
        browser.js(click)
        seen.append((browser.js(state), numbers(browser, "cells", 4)))
    assert seen == [
        ("ascending", sorted(before)),
        ("descending", sorted(before, reverse=True)),
        ("none", before),
    ]


def test_what_has_no_number_stands_last_both_ways(browser):
    for _ in range(2):
        browser.js("document.querySelectorAll('#cells thead button')[6].click()")
        values = numbers(browser, "cells", 6)
        known = [value for value in values if value is not None]
        assert 0 < len(known) < len(values)
        assert values[: len(known)] == known


def test_words_sort_as_words(browser):
    browser.js("document.querySelectorAll('#cells thead button')[1].click()")
    found = words(browser, "cells", 1)
    assert found == sorted(found, key=str.lower)


def test_filters_keep_what_fits_and_the_yardsticks(browser):
    choose(browser, "dataset", "enron10")
    choose(browser, "model", "htgn")
    choose(browser, "features", "zeros")
    models = words(browser, "cells", 1)
    assert models == ["HTGN"] * 4 + ["edgebank", "degree", "count", "neighbours"]
    choose(browser, "pe", "slpe-i")
    browser.js("document.querySelector('[name=unlearned]').click()")
    assert words(browser, "cells", 3) == ["SLPE-I"]
    assert " of " in browser.js("document.querySelector('#filters').elements.shown.value")
    browser.js("document.querySelector('#filters button[type=reset]').click()")
    browser.js("new Promise((done) => setTimeout(done, 20))")
    assert len(numbers(browser, "cells", 1)) == 45


VIEW = "cells?dataset=enron10&model=htgn&text=zeros&unlearned=no"


def test_filters_stand_in_the_address_and_come_back_from_it(browser, page):
    choose(browser, "dataset", "enron10")
    choose(browser, "model", "htgn")
    choose(browser, "text", "zeros")
    browser.js("document.querySelector('[name=unlearned]').click()")
    browser.js("document.querySelector('a[href=\\'#cells\\']').click()")
    assert browser.js("location.hash.slice(1)") == VIEW
    shown = words(browser, "cells", 3)
    assert shown == ["none", "SLPE-E", "LPE-E", "SLPE-I"]
    browser.open(page)
    assert len(words(browser, "cells", 3)) == 45
    browser.js(f"location.hash = {VIEW!r}")
    browser.js("new Promise((done) => setTimeout(done, 50))")
    assert words(browser, "cells", 3) == shown
    browser.open(page, VIEW)
    assert words(browser, "cells", 3) == shown
    assert browser.js("document.querySelector('#cells').closest('details').open")
    browser.js("document.querySelector('#filters button[type=reset]').click()")
    browser.js("new Promise((done) => setTimeout(done, 20))")
    assert browser.js("location.hash.slice(1)") == "cells"


def test_an_address_with_unknown_names_shows_everything(browser, page):
    browser.open(page, "nowhere?dataset=nowhere&what=else")
    assert len(words(browser, "cells", 3)) == 45


def test_a_table_can_be_saved_as_it_is_shown(browser, tmp_path):
    browser.save_to(tmp_path)
    choose(browser, "model", "htgn")
    choose(browser, "dataset", "dblp")
    browser.js("document.querySelectorAll('#cells thead button')[4].click()")  # up
    button = "document.querySelector('[data-csv=cells]')"
    assert browser.js(f"{button}.textContent") == "CSV, 12 of 45 rows"
    browser.js(f"{button}.click()")
    lines = list(csv.DictReader(io.StringIO(browser.saved(tmp_path / "cells.csv"))))
    assert [line["encoding"] for line in lines] == words(browser, "cells", 3)
    assert [float(line["AUC"]) for line in lines] == pytest.approx(numbers(browser, "cells", 4), abs=0.0051)
    learned = [line for line in lines if line["encoding"] != "no learning"]
    assert len(learned) == 8
    assert {line["AUC, std"] for line in learned} == {"0.05"}  # of two seeds 0.1 apart
    assert {line["paper"] for line in lines if line not in learned} == {""}


def test_names_with_commas_and_quotes_are_saved_whole(browser, tmp_path):
    browser.save_to(tmp_path)
    browser.js("document.querySelector('[data-csv=runs-table]').click()")
    lines = list(csv.DictReader(io.StringIO(browser.saved(tmp_path / "runs-table.csv"))))
    assert len(lines) == 77
    assert lines[-1]["dataset"] == HOSTILE


def test_the_search_finds_words_and_settings(browser):
    browser.js("document.querySelector('[name=text]').focus()")
    browser.type("grugcn nowhere")
    assert numbers(browser, "cells", 1) == []
    assert not browser.js(
        "document.querySelector('#cells').closest('.scroll').querySelector('.nothing').hidden"
    )
    browser.js("document.querySelector('[name=text]').select()")
    browser.type('"lr":0.125')  # a setting that no table shows
    assert words(browser, "runs-table", 3) == ["one-hot"]


def test_a_run_shows_its_settings_and_versions(browser):
    browser.js("document.querySelector('#all-runs').open = true")
    browser.js("document.querySelector('#runs-table tbody tr:last-child button').focus()")
    browser.press("Enter")
    text = browser.js("document.querySelector('#run-dialog').innerText")
    assert browser.js("document.querySelector('#run-dialog').open")
    assert HOSTILE in text
    assert "0.125" in text
    assert "2.13.0" in text
    assert not browser.js("document.querySelector('#run-dialog img') !== null")
    browser.press("Escape")
    assert not browser.js("document.querySelector('#run-dialog').open")
    assert browser.js("document.activeElement.closest('tr').rowIndex") == 77


def test_every_run_opens_its_own_settings(browser):
    """The dialog of each row tells the model, features, encoding and seed that the row does."""
    found = browser.js(
        """Array.from(document.querySelectorAll("#runs-table tbody tr")).map((row) => {
          row.querySelector("button").click();
          const dialog = document.querySelector("#run-dialog");
          const told = Object.fromEntries(Array.from(dialog.querySelectorAll("dt")).map(
            (term) => [term.textContent, term.nextElementSibling.textContent]));
          dialog.close();
          const cells = Array.from(row.cells).map((cell) => cell.textContent.trim());
          return [cells.slice(1, 6), [told.dataset, told.model, told.features, told.pe, told.seed]];
        })"""
    )
    assert len(found) == 77
    for (dataset, model, features, pe, seed), told in found:
        assert (dataset, model, seed) == (told[0], label("egcn-h" if told[1] == "egcn" else told[1]), told[4])
        assert features == "–" or (features, pe) == (told[2], label(told[3]))


def test_the_keyboard_alone_is_enough(browser):
    browser.press("Tab")
    assert browser.js("document.activeElement.className") == "skip"
    assert browser.js("document.activeElement.getBoundingClientRect().top") >= 0
    reached = set()
    browser.js("document.querySelector('#cells').closest('details').open = true")
    for _ in range(120):
        browser.press("Tab")
        reached.add(browser.js(f"({FOCUS})(document.activeElement)"))
        if browser.js("document.activeElement.closest('#cells thead') !== null"):
            break
    assert {"theme", "dataset", "model", "features", "pe", "text", "unlearned", "scroll", "header"} <= reached
    assert browser.js("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("Enter")
    assert browser.js("document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending"
    browser.press(" ")
    assert browser.js("document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"
