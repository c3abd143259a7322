"""As-of features: cuts, events before them, and an audit that features ignore later events."""
