"""Why, and how sure? What a fitted learner or a cloud of objects means to a person.

Learners say *what*: a class, a number, a distance. This layer says what drives the answer and how far it can be
trusted: which columns matter, how an answer changes with one of them, whether there are groups at all. Each question is
a function that returns a small frozen dataclass, plain data that the report, a notebook and `gm.plot` read alike.
"""
