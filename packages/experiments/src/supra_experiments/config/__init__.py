"""Everything that determines a run: each setting once, with its default, its check and its meaning."""

from supra_experiments.config.data import FEATURES
from supra_experiments.config.encoding import PES
from supra_experiments.config.model import LEARNED, MODELS, NETWORKS
from supra_experiments.config.run_config import SETTINGS, Config, has_effect

__all__ = ["FEATURES", "LEARNED", "MODELS", "NETWORKS", "PES", "SETTINGS", "Config", "has_effect"]
