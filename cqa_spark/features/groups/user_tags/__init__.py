"""The tags that the one who answered is at home in."""
