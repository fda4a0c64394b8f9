"""A picture as SVG: 720 wide, readable on light and dark pages, with no font of its own."""

from xml.sax.saxutils import escape

WIDTH = 720
COLOURS = 8
LIGHT = ("#cfe3f7", "#fbdfc2", "#d0eccf", "#f6cfd4", "#e2d6f3", "#ebe1b4", "#c5eaea", "#e4e4e4")
DARK = ("#1f4a75", "#7a4a12", "#245a2b", "#7a2833", "#51367a", "#655714", "#12595c", "#484848")


def looks(ink, paper, grey, colours):
    return (f".p{{fill:{paper}}}svg{{fill:{ink}}}.g{{fill:{grey}}}.l{{stroke:{grey}}}.e{{stroke:{ink}}}.f{{fill:{ink}}}" +
            "".join(f".c{i}{{fill:{colour}}}" for i, colour in enumerate(colours)))


STYLE = ("svg{font:12px sans-serif}.s{font-size:10.5px}.h{font-size:14px;font-weight:bold}.m{text-anchor:middle}.r{text-anchor:end}"
         ".l,.e{fill:none}.e{stroke-width:2}.t{font-family:monospace}" + looks("#1c1c1c", "#fff", "#777", LIGHT) +
         "@media(prefers-color-scheme:dark){" + looks("#ececec", "#15181c", "#999", DARK) + "}")


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Picture:
    """Coordinates are pixels from the upper left corner; a class is a word of STYLE: c0 to c7 are fills."""

    def __init__(self, height, title):
        self.height, self.title = height, title
        self.texts, self.paths = {}, {}
        self.text(16, 24, title, "h")

    def text(self, x, y, words, looks=""):
        self.texts.setdefault(looks, []).append(f'<text x="{number(x)}" y="{number(y)}">{escape(str(words))}</text>')

    def lines(self, x, y, words, looks="", apart=16):
        for i, line in enumerate(words):
            self.text(x, y + i * apart, line, looks)

    def box(self, x, y, width, height, looks="l"):
        """Boxes of one look are one path, below all words."""
        self.paths.setdefault(looks, []).append(f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z")

    def line(self, *points, looks="l"):
        self.paths.setdefault(looks, []).append("M" + "L".join(f"{number(x)} {number(y)}" for x, y in points))

    def arrow(self, x0, y0, x1, y1):
        """Along one of the axes."""
        self.line((x0, y0), (x1, y1), looks="e")
        along, across = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        back = [(x1 - 7 * along + 4 * across * side, y1 - 7 * across + 4 * along * side) for side in (-1, 1)]
        self.line(back[0], (x1 + along, y1 + across), back[1], looks="f")

    def cells(self, x, y, width, height, cells, looks="s m"):
        """cells: (row, column) -> (class, words), a whole rectangle of them; with a grid around."""
        rows, columns = (max(at) + 1 for at in zip(*cells))
        for row in range(rows):
            first = 0
            for column in range(columns):
                if column + 1 == columns or cells[row, column + 1][0] != cells[row, column][0]:
                    self.box(x + first * width, y + row * height, (column + 1 - first) * width, height, cells[row, first][0])
                    first = column + 1
                words = cells[row, column][1]
                if words != "":
                    self.text(x + (column + 0.5) * width, y + (row + 0.5) * height + 4, words, looks)
        for row in range(rows + 1):
            self.line((x, y + row * height), (x + columns * width, y + row * height))
        for column in range(columns + 1):
            self.line((x + column * width, y), (x + column * width, y + rows * height))

    def svg(self):
        order = sorted(self.paths, key=lambda looks: (looks == "e", looks == "l"))
        paths = "\n".join(f'<path class="{looks}" d="{"".join(self.paths[looks])}"/>' for looks in order)
        texts = "\n".join(f'<g class="{looks}">\n' + "\n".join(texts) + "\n</g>" for looks, texts in self.texts.items())
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" '
                f'viewBox="0 0 {WIDTH} {self.height}" role="img">\n<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n'
                f'<rect class="p" width="{WIDTH}" height="{self.height}" rx="6"/>\n{paths}\n{texts}\n</svg>\n')
