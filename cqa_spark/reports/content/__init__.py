"""What the report of a run shows, as plain values; `collect` gathers them, `render` and `console` show them."""
