"""Where others put the candidate: the search engine, and the systems of the tasks on the way to it."""
