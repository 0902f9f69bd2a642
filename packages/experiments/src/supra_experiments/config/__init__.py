"""Everything that determines a run: each setting once, with its default, its check and its meaning."""

from supra_experiments.config.run_config import Config

__all__ = ["Config"]
