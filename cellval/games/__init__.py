"""Any 2D game: rows and columns of a table as players, a utility of both.

A *utility* is a function ``h(rows, columns) -> float`` of sorted positions; it says how
well a model does that sees these rows through these columns. `ModelUtility` makes one
of any scikit-learn estimator, `KnnUtility` is that of nearest neighbours, `utility_of`
knows models by name; any other function serves, too. *Groups* of rows and columns play
the same game as blocks (`BlockGame`).
"""
