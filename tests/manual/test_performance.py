"""The page of the benchmarks says what the files of measured values say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_at_the_root_and_the_one_in_the_manual_are_made_of_the_measured_values(tmp_path):
    subprocess.run([sys.executable, ROOT / "benchmarks" / "page.py", tmp_path], check=True, cwd=tmp_path)
    made = (tmp_path / "BENCHMARKS.md").read_text(encoding="utf-8")
    assert made == (ROOT / "BENCHMARKS.md").read_text(encoding="utf-8"), "run: python benchmarks/page.py ."
    pictures = {found.relative_to(tmp_path) for found in tmp_path.rglob("*.png")}
    assert {name for name in pictures if f"]({name.as_posix()})" not in made} == set()
    assert made.count("![") == len(pictures)
