"""Planted errors and what finds them; the paper's experiments."""
