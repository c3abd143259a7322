"""What follows from who wrote the candidate: their account, activity, badges and tags, and how others judged them."""
