"""Check a built site: every link within it leads somewhere, and nothing is loaded from the network.

python docs/_ext/links.py build/docs
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The names, the links and the files that a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.names.update(value for key, value in attrs if key in ("id", "name") and value)
        if tag == "a" and known.get("href"):
            self.links.append(known["href"] or "")
        if tag in LOADED and known.get(LOADED[tag]):
            self.loaded.append(known[LOADED[tag]] or "")
        if tag == "link" and known.get("rel") in ("stylesheet", "preload", "icon", "modulepreload"):
            self.loaded.append(known["href"] or "")


def faults(site: Path) -> list[str]:
    """Return what is wrong with the links of a site, one line for each."""
    pages = {
        page: Page(page.read_text(encoding="utf-8"))
        for page in sorted(site.rglob("*.html"))
        if "_static" not in page.parts
    }
    found = []
    for page, content in pages.items():
        here = page.relative_to(site)
        found += [f"{here}: loads {url} from the network" for url in content.loaded if urlsplit(url).netloc]
        for url in content.links + content.loaded:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            known = pages.get(site.resolve() / target.relative_to(site.resolve())) if target.suffix == ".html" else None
            if not target.exists():
                found.append(f"{here}: {url} leads nowhere")
            elif parts.fragment and known is not None and unquote(parts.fragment) not in known.names:
                found.append(f"{here}: {url} names a place that is not there")
    return found


def main(site: Path) -> int:
    found = faults(site.resolve())
    print("\n".join(found) or f"{site}: every link within it leads somewhere, and nothing is loaded from the network")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
