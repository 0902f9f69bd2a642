"""Figures inside a page: a light and a dark SVG as one image, as short as it can be."""

import re

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_ID = re.compile(r' id="([^"]+)"')


def data_uri(svg: str) -> str:
    """An SVG as an address that holds it, without double quotes.

    As an image, and not as part of the page, it needs no permission from the page's policy for its styles.

    Example:
        >>> data_uri('<svg fill="#ffffff"/>')
        "data:image/svg+xml,<svg fill='%23ffffff'/>"
    """
    text = svg.replace("'", "&apos;").replace('"', "'")
    return "data:image/svg+xml," + text.replace("%", "%25").replace("#", "%23")


def both_themes(light: str, dark: str) -> str | None:
    """One SVG that is light or dark as the page around it is; None where the two differ in more than colour.

    Each pair of a light and a dark colour becomes a variable, which a media query sets. An image's query is
    answered by the ``color-scheme`` of the element that shows it.

    Args:
        light, dark: shortened SVG texts.

    Example:
        >>> print(both_themes('<svg><g fill="#ffffff"/></svg>', '<svg><g fill="#111111"/></svg>'))
        <svg><style>:root{--a:#ffffff}@media(prefers-color-scheme:dark){:root{--a:#111111}}</style><g \
fill="var(--a)"/></svg>
    """
    if _COLOUR.split(light) != _COLOUR.split(dark):
        return None
    pairs = list(zip(_COLOUR.findall(light), _COLOUR.findall(dark), strict=True))
    names = {pair: _name(place) for place, pair in enumerate(dict.fromkeys(pairs))}
    order = iter(pairs)
    body = _COLOUR.sub(lambda _: f"var(--{names[next(order)]})", light)
    bright, dim = (";".join(f"--{name}:{pair[i]}" for pair, name in names.items()) for i in (0, 1))
    style = f"<style>:root{{{bright}}}@media(prefers-color-scheme:dark){{:root{{{dim}}}}}</style>"
    start = body.index(">") + 1
    return body[:start] + style + body[start:]


def shortened(svg: str) -> str:
    """The same picture in fewer letters: what programs wrote for each other is left out."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    # A hundredth of a point is less than a screen can show; numbers below one may be scales and stay.
    text = re.sub(r"\b([1-9]\d*\.\d\d)\d+", r"\1", text)
    text = " ".join(text.split()).replace("> <", "><")
    text = re.sub(r"(?<=\d) (?=[LQMCz])|(?<=[LQMC]) (?=[\d-])", "", text)
    text = re.sub(r"\b(fill|stroke|stroke-\w+|opacity): ", r"\1:", text).replace("; ", ";")
    return _renamed(text)


def _renamed(text: str) -> str:
    """Identifiers that something refers to become short, in the order they come; the others go."""
    used = set(re.findall(r"[\"(]#([^\")]+)[\")]", text))
    names = {name: f"i{place}" for place, name in enumerate(n for n in _ID.findall(text) if n in used)}
    text = _ID.sub(lambda found: f' id="{names[found[1]]}"' if found[1] in names else "", text)
    return re.sub(
        r"([\"(])#([^\")]+)(?=[\")])",
        lambda found: f"{found[1]}#{names[found[2]]}" if found[2] in names else found[0],
        text,
    )


def _name(place: int) -> str:
    """a, b, …, z, aa, ab, …"""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
