"""What the guide says of this machine runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "cluster.md"


def test_the_first_program_of_the_guide_runs_as_it_is_written(tmp_path):
    (first, *_) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(first.replace("200_000", "2_000").replace("20_000", "200"), encoding="utf-8")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, timeout=600)
    assert "low rank: 100 landmarks, 2,000 objects in one pass" in run.stdout
    assert re.search(r"\[\s*-?\d.*\]", run.stdout)
