"""The commands of ``cqa``: the settings of each, its flow, and what it prints."""
