"""Reports for people, one package or module for each topic; ``kit`` holds what all topics share.

Each topic gathers plain values from tables (``collect``, ``content``), and renders them as HTML (``page`` or a
``section``) or prints them to the terminal (``console``).
"""
