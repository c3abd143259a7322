"""Links between posts of a dump."""

DUPLICATE_LINK = 3
"""Value of ``link_type_id`` of a link that closed a question as a duplicate."""
