import pytest


@pytest.fixture
def write(tmp_path):
    """Write content under a name in a fresh folder, and return its path."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
