"""How a model is judged: splits, negatives, features, metrics, and scores that learn nothing."""
