"""Intake: from a file of any kind, or what lies in memory, to objects a kernel takes, with every guess said aloud.

    inputs      what is to be read: files, folders, pipes; `budget` is the memory that reading may take
    formats     what kind of file this is; each reader makes a `Table`, a `Network` of nodes, or a `DataError`
    guesses     what a column holds: numbers, categories, strings, texts, dates, names
    recipe      how columns become objects, written down, so that new data pass the same way
    assembly    a table becomes a `Dataset`; `nodes` does the same for a graph, `targets` sees to what is to be learnt
    reading     `read_data`, `from_objects`, `load_example`: the whole way
    batches     objects that come piece by piece, from `sources`, by `rows` of tables; `readers` are those of a user,
                and `datasets` what ships with the package

What is guessed can be overridden, and what is done to the data stands in `Dataset.notes`.
"""
