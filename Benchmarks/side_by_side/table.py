"""The table: what was measured, what it is compared with, and whether that reaches the goal."""

import statistics

HEADINGS = ["what", "floor or peer", "figure", "Pintle's figure", "ratio", "goal", "met?"]


def seconds(value):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{three(value * factor)} {unit}"
    return f"{three(value * 1e9)} ns"


def size(value):
    return f"{three(value / 1e6)} MB" if value >= 1e5 else f"{value:,.0f} B"


def three(value):
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def ratio_text(value):
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


class Row:
    """One line. The ratio is the median of the rounds' ratios, since what is taken in one round was taken together."""

    def __init__(self, what, against, theirs, ours, at_most=None):
        self.what, self.against, self.at_most = what, against, at_most
        self.theirs, self.ours = statistics.median(theirs), statistics.median(ours)
        self.ratio = statistics.median(our / their for our, their in zip(ours, theirs))

    def cells(self):
        goal = ["–", "–"] if self.at_most is None else [
            f"at most {self.at_most:g}", "yes" if self.ratio <= self.at_most else "NO"]
        return [self.what, self.against, seconds(self.theirs), seconds(self.ours), ratio_text(self.ratio), *goal]


def print_table(cells, form, texts=2):
    """Prints lines of cells, of which the first says what they are; so many columns of them are texts."""
    if form == "markdown":
        for line in [cells[0], ["---"] * len(cells[0]), *cells[1:]]:
            print("| " + " | ".join(line) + " |")
        return
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        left = [cell.ljust(width) for cell, width in zip(line[:texts], widths)]
        right = [cell.rjust(width) for cell, width in zip(line[texts:], widths[texts:])]
        print("  ".join(left + right).rstrip())
