"""What all groups have in common that look at the state of a dump."""

SNAPSHOT_CAUTION = (
    "computed from the state of the dump, as in the paper: it contains what happened after the answer was chosen, "
    "and partly the choice itself"
)
