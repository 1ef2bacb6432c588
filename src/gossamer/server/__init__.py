"""The page and its JSON API: `gossamer serve INDEX`."""
