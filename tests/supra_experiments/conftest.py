"""The command, called as a user calls it."""

import pytest

from supra_experiments.cli.main import main


@pytest.fixture
def run(capsys):
    """Run ``supra`` with some arguments: its exit code, and what it wrote to both streams."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return call
