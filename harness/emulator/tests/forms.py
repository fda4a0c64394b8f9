#!/usr/bin/env python3
"""Asks ptxas about every form of forms/*.txt (forms/README.md), and says where the lists are wrong.
usage: forms.py PTXAS
A form whose .version is later than PTXAS knows is not asked about."""
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'forms')
TOGETHER = 64  # forms that one call is asked about


def expand(form):
    """The forms that one line stands for: <a|b> is a or b, {r4} is {%r0, %r1, %r2, %r3}."""
    parts = re.split(r'<([^<>]*)>', form)
    choices = [part.split('|') if i % 2 else [part] for i, part in enumerate(parts)]
    for chosen in itertools.product(*choices):
        yield re.sub(r'\{([a-z])(\d+)\}',
                     lambda m: '{' + ', '.join(f'%{m[1]}{i}' for i in range(int(m[2]))) + '}',
                     ''.join(chosen))


def read(folder):
    """The PTX around a form, and of each form: its line, what is said of it, target, version, text."""
    frame, forms = open(os.path.join(folder, 'kernel.ptx')).read(), []
    for path in sorted(glob.glob(os.path.join(folder, '*.txt'))):
        for number, line in enumerate(open(path), 1):
            if line.strip() and not line.startswith('#'):
                said, targets, version, form = line.split(None, 3)
                forms += [(f'{path}:{number}', said, target, version, one)
                          for target in targets.split(',') for one in expand(form.strip())]
    return frame, forms


def module(frame, forms):
    """One module with a kernel for each of the forms, which are of one target and version, and the
    lines where the forms stand."""
    head, kernel = frame.split('.visible', 1)
    kernels = [('.visible' + kernel).replace(' k(', f' k{i}(') for i in range(len(forms))]
    text = head + ''.join(one.replace('FORM', form[4]) for one, form in zip(kernels, forms))
    before = head.count('\n') + kernel[:kernel.index('FORM')].count('\n') + 1
    lines = [before + i * kernel.count('\n') for i in range(len(forms))]
    return text.replace('TARGET', forms[0][2]).replace('VERSION', forms[0][3]), lines


def ask(ptxas, frame, forms):
    """What ptxas has against each of these forms, and against them all together."""
    text, lines = module(frame, forms)
    with tempfile.NamedTemporaryFile('w', suffix='.ptx') as file:
        file.write(text)
        file.flush()
        run = subprocess.run([ptxas, f'-arch=sm_{forms[0][2]}', '-w', '-o', '/dev/null', file.name],
                             capture_output=True, text=True)
    against = {}
    for line, said in re.findall(r', line (\d+); (?:error|fatal) +: (.*)', run.stderr):
        # after another fault it may miss functions of its own, for what has none
        if int(line) in lines and "'__cuda_sm" not in said:
            against.setdefault(lines.index(int(line)), said)
    return against, run.stderr.strip() if run.returncode else ''


def verdicts(ptxas, frame, forms):
    """[(form, what ptxas has against it, '' if it takes it)] of forms of one target and version.
    One call may name some of the faults only: those that were not named are asked about again."""
    answers = []
    while forms:
        against, all_said = ask(ptxas, frame, forms)
        answers += [(forms[i], said) for i, said in against.items()]
        if not against and all_said and len(forms) > 1:  # of a fault without a line
            half = len(forms) // 2
            return (answers + verdicts(ptxas, frame, forms[:half])
                    + verdicts(ptxas, frame, forms[half:]))
        if not against:
            return answers + [(form, all_said) for form in forms]
        forms = [form for i, form in enumerate(forms) if i not in against]
    return answers


def latest(ptxas, frame):
    """The last .version that ptxas knows, times ten."""
    for version in itertools.count(90):
        form = (0, '', '90', f'{version // 10}.{version % 10}', 'exit')
        if ask(ptxas, frame, [form])[1]:
            return version - 1


def check(ptxas, frame, forms):
    """The last .version that ptxas knows, and verdicts() of those of the forms that it may know."""
    known = latest(ptxas, frame)
    groups = {}
    for form in forms:
        if round(float(form[3]) * 10) <= known:
            groups.setdefault(form[2:4], []).append(form)
    jobs = [group[i:i + TOGETHER] for group in groups.values()
            for i in range(0, len(group), TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda job: verdicts(ptxas, frame, job), jobs)
    return known, [answer for job in answers for answer in job]


def main():
    ptxas = sys.argv[1]
    frame, forms = read(FORMS)
    known, answers = check(ptxas, frame, forms)
    expected = {'either': known >= 95, 'refused': True}
    wrong = [(form, why) for form, why in answers if (why != '') != expected.get(form[1], False)]
    for (place, said, target, version, form), why in wrong:
        print(f'{place}: {said} sm_{target} {version} {form}: ptxas '
              + (f'refuses it: {why}' if why else 'takes it'))
    print(f'ptxas of PTX {known / 10}: {len(answers)} of {len(forms)} forms, {len(wrong)} wrong')
    return len(wrong) > 0


if __name__ == '__main__':
    sys.exit(main())
