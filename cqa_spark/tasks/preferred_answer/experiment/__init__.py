"""The experiment of Xu et al. (2018) on any dump: systems, training, evaluation and analyses."""
