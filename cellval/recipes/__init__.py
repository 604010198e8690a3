"""Recipes: what was decided on one file, told so that the next one can be repaired."""
