"""What a task declares: examples, labels, folds, measures, formats, and what its nights need."""
