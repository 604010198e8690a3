"""The command line: `cellval ...` and `python -m cellval ...`."""
