"""What other libraries' pipelines cannot do without, a module for each; it needs that library installed."""
