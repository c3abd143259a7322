"""The preferred-answer experiment of Xu et al. (2018), with the published results."""
