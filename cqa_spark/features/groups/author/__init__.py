"""What a comment's author did in other threads: activity, and judgements of other comments."""
