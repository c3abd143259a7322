"""Pretrained models: their descriptions in ``conf/``, and their files, which are checked by hash."""
