"""7z and zip archives of dumps, which Spark cannot read: they are unpacked once into a staging folder."""
