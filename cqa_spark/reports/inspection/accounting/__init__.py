"""Input files, quarantined records and orphans."""
