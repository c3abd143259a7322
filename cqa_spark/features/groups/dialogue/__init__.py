"""Who speaks when in the candidate's thread, and how the others react."""
