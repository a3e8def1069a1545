"""What may come of a load: how splits and servers follow it, in virtual minutes.

In reading order: `settings` (every constant of the model), `model`, `simulation`.
"""
