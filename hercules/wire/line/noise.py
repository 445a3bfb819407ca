# SPDX-License-Identifier: MIT
"""Which bits of a line arrive inverted: a rate, and bursts in which it is another one
(Gilbert-Elliott). Pure: time is an argument."""

from __future__ import annotations

import math
import random


class Noise:
    """Bit errors of one direction. Bursts come and go with time, whether anything is sent or not:
    quiet stretches and bursts last exponentially distributed times."""

    def __init__(self, label: str) -> None:
        self._errors = random.Random(f"{label}/bit_errors")
        self._bursts = random.Random(f"{label}/bursts")
        self.set(0.0, 0.0, 0.0, 0.0)

    def set(
        self, bit_errors: float, burst_errors: float, burst_seconds: float, burst_every: float
    ) -> None:
        """The probability that a bit is inverted, outside bursts and within them; the mean length
        of a burst and from one's end to the next one's begin, in seconds (0: there are none)."""
        self._rates = (bit_errors, burst_errors)
        self._means = (burst_every, burst_seconds)
        self._burst = False
        self._until = math.inf
        self._started = False

    def inverted(self, begun: float, bits: int, bit_seconds: float) -> list[int]:
        """The numbers of the inverted bits, of BITS that are sent from BEGUN on."""
        if not self._started:
            self._started = True
            if self._means[0] and self._means[1]:
                self._until = begun + self._bursts.expovariate(1 / self._means[0])
        found: list[int] = []
        at = 0
        while at < bits:
            end = bits
            if self._until < begun + bits * bit_seconds:
                end = min(bits, max(at, math.ceil((self._until - begun) / bit_seconds)))
            found += self._within(at, end, self._rates[self._burst])
            at = end
            if at < bits:
                self._burst = not self._burst
                self._until += self._bursts.expovariate(1 / self._means[self._burst])
        return found

    def _within(self, at: int, end: int, rate: float) -> list[int]:
        if not rate:
            return []
        if rate >= 1.0:
            return list(range(at, end))
        found = []
        scale = math.log(1.0 - rate)
        # the distance to the next error is geometric; a stretch that ends before it forgets it
        while at < end:
            skip = math.log(1.0 - self._errors.random()) / scale
            if skip >= end - at:
                break
            at += int(skip)
            found.append(at)
            at += 1
        return found
