"""What other libraries need of us that they do not bring themselves: a module for each, imported by nobody but its users."""
