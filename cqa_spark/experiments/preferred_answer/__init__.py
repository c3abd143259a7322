"""The experiment of Xu et al. (2018) on any dump: what is trained, on what it is measured, and its report."""
