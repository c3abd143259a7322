"""Candidates at corpus scale: an index of every question of a site, and the earlier questions that are most similar."""
