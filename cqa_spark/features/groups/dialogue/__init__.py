"""Who speaks in a thread, in which order, and what the neighbouring posts say."""
