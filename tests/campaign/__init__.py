"""A campaign against gramian that can be repeated: seeded cases of each attack, a judge, and a table of what came.

python -m tests.campaign                               all of it
python -m tests.campaign --share 0.01 --seed 7         a hundredth of the cases, with other luck
python -m tests.campaign --only inputs --case 12345    one case again, with its traceback
"""
