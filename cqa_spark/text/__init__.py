"""What posts and comments say: which text each has, cleaned and analysed once per distinct text."""
