"""The best and the worst queries, with their ranked candidates."""
