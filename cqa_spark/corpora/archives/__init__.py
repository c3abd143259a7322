"""7z archives of dumps, which Spark cannot read: they are unpacked once into a staging folder."""
