"""What a post's HTML holds: its prose, code, quotes, links and images, apart from each other."""
