"""Pictures of the pages of results: gnuplot draws them, and what it repeats in its SVG is said once."""

import re
import subprocess

# What may be moved to a class: the looks of an element, apart from where it is.
LOOKS = ("fill", "color", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "font-family",
         "font-size", "text-anchor")
ATTRIBUTE = re.compile(r"""\s*([\w:-]+)\s*=\s*(?:'([^']*)'|"([^"]*)")""")


def compact(svg):
    """The picture in a third of its bytes: no empty groups, no unused symbols, a class for each looks."""
    head, marker, body = svg.partition("</defs>")
    while body != (body := re.sub(r"<g\b[^>]*>\s*(?:<title>[^<]*</title>)?\s*</g>", "", body)):
        pass
    used = set(re.findall(r"href='#(\w+)'", body))
    used |= {base for symbol in used for base in re.findall(rf"href='#(\w+)' id='{symbol}'", head)}
    head = re.sub(r"\n\t<(?:path|use|rect|circle) [^\n]*id='(\w+)'[^\n]*", lambda m: m[0] if m[1] in used else "", head)
    head = re.sub(r"\n\t<filter.*?</filter>", "", head, flags=re.S)
    classes = {}

    def classed(element):
        kept, looks = "", ""
        for name, single, double in ATTRIBUTE.findall(element[2]):
            value = " ".join((single or double).split())
            if name in LOOKS:
                looks += f"{name}:{value}px;" if name == "font-size" else f"{name}:{value};"
            elif name not in ("class", "id"):
                kept += f' {name}="{re.sub(r"(?<=[.]..)0+(?=[ ,)])", "", value)}"'
        if looks:
            kept += f' class="{classes.setdefault(looks, "c" + str(len(classes)))}"'
        return f"<{element[1]}{kept}{element[3]}>"

    body = re.sub(r"<(g|path|use|text)\b([^>]*?)(/?)>", classed, body)
    body = re.sub(r"\s*<title>gnuplot_plot_\w+</title>|(?<=>)\s+(?=<[/gpu])", "", body).replace("</g>", "</g>\n")
    style = "".join(f"\n.{name} {{{looks}}}" for looks, name in classes.items())
    return f"{head}<style>{style}\n</style>\n{marker}{body}" if marker else svg


def draw(script, path):
    """What gnuplot draws of the script, which names no output."""
    done = subprocess.run(["gnuplot"], input=script, text=True, check=True, stdout=subprocess.PIPE)
    path.write_text(compact(done.stdout))
