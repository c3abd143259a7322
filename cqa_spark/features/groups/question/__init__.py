"""Views, dates and tags of a question; for pairs of questions, also of the earlier one."""
