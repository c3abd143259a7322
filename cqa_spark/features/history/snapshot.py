"""The caution shared by all groups that read the state of the dump."""

SNAPSHOT_CAUTION = (
    "computed from the state of the dump, as in the paper: it contains events after the acceptance, "
    "and partly the acceptance itself"
)
