"""What long work needs, whatever it computes: threads, progress, and a journal of what was computed already.

Nothing here knows of kernels or of data. Every layer above may share out its work (`threads`), say how far it is
(`progress`) and remember it (`journal`, under the `fingerprint` of all it depends on).
"""
