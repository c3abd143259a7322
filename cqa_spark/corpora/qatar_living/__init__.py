"""The Qatar Living forum, as released for SemEval 2015-2017 Task 3 (Nakov et al. 2015, 2016, 2017)."""
