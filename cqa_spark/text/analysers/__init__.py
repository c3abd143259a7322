"""Text analysers, which plug-ins register: cleaned texts to sentences, tokens, words, stems and bigrams."""
