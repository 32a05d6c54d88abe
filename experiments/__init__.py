"""Scripts that train, measure and compare; run them from the checkout, as ``python -m experiments.evaluate --help``."""
