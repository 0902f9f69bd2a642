"""How a model is judged: negatives, features, metrics, and scores that learn nothing."""
