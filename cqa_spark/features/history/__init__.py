"""What was known at a moment: the moments, what happened before them, and the proof that nothing later counts."""
