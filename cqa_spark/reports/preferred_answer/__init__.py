"""The experiment of Xu et al. (2018) as people read it: its figures beside the published ones."""
