"""Charts as SVG, written by hand: their colours are those of the page, and each says in words what it shows."""
