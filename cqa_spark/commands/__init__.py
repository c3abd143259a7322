"""The commands of ``cqa``: a module has the settings of a command, its flow and its function; ``jobs`` lists them."""
