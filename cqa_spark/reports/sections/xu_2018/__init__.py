"""The comparison of the preferred-answer experiment with Xu et al. (2018)."""
