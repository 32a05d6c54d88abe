"""What other libraries need of us and do not bring themselves: a module for each, imported by its users alone."""
