"""The declared schema of every table in the lake, one module per stage of the data flow."""
