"""Groups for pairs of questions whose candidate was retrieved."""
