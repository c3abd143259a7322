"""Reports for people: ``kinds`` are lists of ``sections``, which are made of the components of the ``kit``.

A section gathers plain values from a run (``data``), renders them as HTML (``page``), and may print them to the
terminal (``console``); ``section`` has the contract. The modules beside it hold what several sections share.
"""
