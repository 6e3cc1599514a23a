"""The benchmark of start-up: every command runs as often as it should, and a refusal is shown."""

import sys

import pytest


@pytest.fixture(scope="module")
def startup(benchmark):
    return benchmark("startup")


def test_every_way_is_run_in_turn_and_once_more_than_it_is_timed(startup):
    ways = {"one": [sys.executable, "-c", "pass"], "two": [sys.executable, "-S", "-c", "pass"]}
    spent = startup.measure(ways, 2)
    assert {way: len(times.wall) for way, times in spent.items()} == {"one": 2, "two": 2}
    assert all(seconds > 0 for times in spent.values() for seconds in times.processor)


def test_given_a_command_that_fails_then_its_complaint_ends_the_benchmark(startup):
    with pytest.raises(SystemExit, match="no good"):
        startup.run([sys.executable, "-c", "raise SystemExit('no good')"])


def test_every_command_with_a_bound_is_one_that_works(startup, tmp_path):
    ways = startup.commands(tmp_path)
    assert {startup.BASE, *startup.BOUNDS} <= set(ways)
    for command in ways.values():
        startup.run(command)


def test_seconds_are_shown_as_milliseconds_with_quartiles(startup):
    assert startup.shown([0.010, 0.020, 0.030, 0.040, 0.050]) == "30 (20 to 40)"
