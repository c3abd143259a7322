"""The texts of posts and comments, cleaned and analysed once per distinct text."""
