"""Makes the modules of this folder importable: literal reports and checks of pages that the topics share."""
