"""What was measured: claims, the contenders of each, and the file that keeps them between runs."""

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

NOT = float("nan")  # not measured


@dataclass
class Contender:
    """One program at one size: what it took, and how good its answer is; or why it has none.

    `stopped` are the seconds after which it was given up.
    """

    name: str
    n: int
    seconds: float = NOT
    megabytes: float = NOT
    answer: str = ""
    cannot: str = ""
    ours: bool = False
    stopped: float = NOT

    @property
    def label(self) -> str:
        return f"{self.name}, n = {self.n:,}"


@dataclass
class Claim:
    what: str
    peer: str
    ours_s: float
    peer_s: float
    wanted: str
    holds: bool
    note: str = ""
    ours_mb: float = NOT
    peer_mb: float = NOT
    contenders: list[Contender] = field(default_factory=list)
    floor_s: float = NOT
    floor: str = ""

    @property
    def ratio(self) -> float:
        return self.peer_s / self.ours_s


def contender(name: str, n: int, answer: dict[str, Any], text: str = "", ours: bool = False) -> Contender:
    """Read the answer of a process: a `text` may name numbers of it, as in "residual {residual:.0e}"."""
    if "stopped" in answer:
        stopped = answer["stopped"]
        return Contender(name, n, cannot=f"stopped after {stopped:.0f} s", ours=ours, stopped=stopped)
    if "failed" in answer:
        return Contender(name, n, cannot=f"failed: {answer['failed'][:80]}", ours=ours)
    return Contender(name, n, answer["seconds"], answer["peak"], text.format(**answer), ours=ours)


def demands(**met: tuple[str, bool]) -> tuple[str, bool]:
    """Join what is wanted into one text, with what is not met in bold, and tell whether all of it is met."""
    return ", ".join(text if ok else f"**{text}**" for text, ok in met.values()), all(ok for _, ok in met.values())


class Record:
    """Measured values in a JSON file, so that a run of some claims keeps the others."""

    def __init__(self, file: Path) -> None:
        self.file = file
        found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self.machine: str = found.get("machine", "")
        self.growth: dict[str, Any] = found.get("growth", {})
        self.sweep: dict[str, Any] = found.get("sweep", {})
        self.claims = {name: _claim(values) for name, values in found.get("claims", {}).items()}

    def save(self) -> None:
        claims = {name: _without_nan(asdict(claim)) for name, claim in self.claims.items()}
        found = {"machine": self.machine, "claims": claims, "growth": self.growth, "sweep": self.sweep}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        self.file.write_text(text + "\n", encoding="utf-8")


def _claim(values: dict[str, Any]) -> Claim:
    def numbers(found: dict[str, Any]) -> dict[str, Any]:
        return {key: NOT if value is None else value for key, value in found.items()}

    return Claim(**numbers(values) | {"contenders": [Contender(**numbers(one)) for one in values["contenders"]]})


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_nan(part) for part in value]
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
