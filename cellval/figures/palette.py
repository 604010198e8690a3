"""The colours of all figures: told apart with any colour vision."""

# Vermilion to blue: told apart with any colour vision.
COLOURS: list[tuple[float, str]] = [
    (0.0, "#7a2100"),
    (0.15, "#b93c00"),
    (0.3, "#e67e3c"),
    (0.42, "#f6c9a5"),
    (0.5, "#f4f4f1"),
    (0.58, "#b5d3e8"),
    (0.7, "#64a4cf"),
    (0.85, "#1f6fad"),
    (1.0, "#0a3d73"),
]
LOW_COLOURS = [(2 * at, colour) for at, colour in COLOURS if at <= 0.5]
LOW, HIGH, GREY = "#d55e00", "#0072b2", "#8a8f98"
OUTLINE = {False: "#111111", True: "#ffffff"}  # on light and dark pages
SELECTED = "#c2189b"
CLEAR = "rgba(0,0,0,0)"
