"""What was known at a moment: running totals of dated events, by a window and never by a list per user.

Joins and windows name the id before the site. Spark sorts by the first bytes of the first key and looks at the rest
only where these are equal, and a site's rows all have the same site.
"""
