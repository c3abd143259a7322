"""The environment of the process: the terminal, signals, disks, and Java."""
