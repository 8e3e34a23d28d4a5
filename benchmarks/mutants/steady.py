"""A plugin of pytest: a mutant is judged by the same examples in every run, however slowly the machine goes."""

from hypothesis import HealthCheck, settings


def pytest_configure() -> None:
    settings.register_profile(
        "mutants", deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    settings.load_profile("mutants")
