"""Task P: rank the answers of a question; the answer accepted by the asker is relevant."""
