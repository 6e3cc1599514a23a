"""What an abstract carries: its embedding, its summary, and the entities lifted to it."""
