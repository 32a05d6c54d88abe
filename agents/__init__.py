"""Players that learn, and the way to play with what they have learned."""
