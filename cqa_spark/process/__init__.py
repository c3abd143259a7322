"""What surrounds the process: the terminal, signals, disks, and Java."""
