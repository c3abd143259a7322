"""Features of the candidate's author: account, activity, badges, tags, and judgements of other comments."""
