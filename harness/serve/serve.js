// Submits without leaving the page, and tells what happens as it happens; all of it is there without.
"use strict";

// Dark or light as the system has it, or as one chose: kept in this browser.
{
	const key = "gemmjudge-scheme", root = document.documentElement;
	const dark = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find((rule) =>
		rule instanceof CSSMediaRule && rule.conditionText === "(prefers-color-scheme: dark)");
	const ofSystem = dark?.media.mediaText;

	function stored() {
		try {
			const scheme = localStorage.getItem(key);
			return scheme === "dark" || scheme === "light" ? scheme : "auto";
		} catch (refused) { // no storage: as the system has it
			return "auto";
		}
	}

	function use(scheme) {
		if (dark) dark.media.mediaText = { auto: ofSystem, dark: "all", light: "not all" }[scheme];
		root.dataset.scheme = scheme;
		choice.value = scheme;
	}

	const label = document.createElement("label"), choice = document.createElement("select");
	label.className = "scheme";
	choice.id = "scheme";
	for (const scheme of ["auto", "light", "dark"]) choice.add(new Option(scheme));
	choice.addEventListener("change", () => {
		use(choice.value);
		try { localStorage.setItem(key, choice.value); } catch (refused) { /* it holds for this page */ }
	});
	label.append("Colours ", choice);
	document.querySelector("header").prepend(label);
	addEventListener("storage", () => use(stored()));
	use(stored());
}

{
	const most = 1 << 20; // bytes of a source
	const live = document.getElementById("live");
	const found = document.getElementById("found");
	const editor = document.getElementById("editor");
	const area = editor && editor.elements.source;
	let code = null; // CodeMirror, where it is installed
	let watched = null, current = null; // the events and the id of what was submitted last

	const says = {
		queued: (e) => (e.place ? `It waits, place ${e.place} in the queue.` : "It waits."),
		compiling: () => "Compiling.",
		compiled: (e) => (e.ok ? "Compiled." : "The compiler refused it."),
		case: (e) => `Case ${e.number} of ${e.of}: ${e.case.verdict}.`,
		timing: () => "Timing.",
	};

	// ---- the text, in CodeMirror or in a text field with line numbers beside it

	const linesOf = (text) => text.split("\n").length;
	let marks = new Map(); // what was found, by line
	let gutter = null, lines = 0;

	function gutterDraw() {
		if (!gutter) return;
		lines = linesOf(area.value);
		gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => {
			const number = document.createElement("span");
			number.textContent = i + 1;
			if (marks.has(i + 1)) {
				number.className = "marked";
				number.title = marks.get(i + 1);
			}
			return number;
		}));
		gutter.scrollTop = area.scrollTop;
	}

	// What was found below a line moves with it when lines come or go above.
	function edited() {
		const more = linesOf(area.value) - lines;
		if (more === 0) return;
		const at = linesOf(area.value.slice(0, area.selectionStart)) - Math.max(more, 0);
		marks = new Map([...marks].map(([line, text]) => [line > at ? line + more : line, text]));
		gutterDraw();
	}

	function unmark() {
		marks.clear();
		if (code) code.eachLine((line) => code.removeLineClass(line, "background", "marked"));
		gutterDraw();
	}

	// The lines of the notes in the source below are marked in the editor, too, but for warnings.
	function mark() {
		for (const note of found.querySelectorAll(".source .note.bad")) {
			const line = Number(note.parentElement.id.replace("line-", ""));
			marks.set(line, marks.has(line) ? `${marks.get(line)}\n${note.textContent}` : note.textContent);
			if (code && line <= code.lineCount()) code.addLineClass(line - 1, "background", "marked");
		}
		gutterDraw();
	}

	function goTo(line) {
		if (code) {
			code.focus();
			code.setCursor(line - 1, 0);
			code.scrollIntoView({ line: line - 1, ch: 0 }, 120);
			return;
		}
		const before = area.value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
		const text = area.value.slice(before).split("\n")[0];
		area.focus();
		area.setSelectionRange(before, before + text.length);
		area.scrollTop = (line - 4) * (area.scrollHeight / linesOf(area.value));
		area.scrollIntoView({ block: "nearest" });
	}

	function setText(text) {
		if (code) code.setValue(text);
		else area.value = text;
		unmark();
	}

	async function take(file) {
		editor.elements.file.value = "";
		if (file.size > most) throw new Error(`${file.name} has ${file.size} bytes, more than 1 MiB.`);
		let text;
		try {
			text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
		} catch (none) {
			throw new Error(`${file.name} is no text in UTF-8.`);
		}
		setText(text.replaceAll("\r\n", "\n"));
		editor.elements.name.value = file.name;
		live.textContent = visible(`${file.name} is in the editor.`);
	}

	const takeOrSay = (file) => take(file).catch((error) => { live.textContent = visible(error.message); });

	// ---- options

	function options() {
		const chosen = {};
		for (const field of editor.querySelectorAll(".option input, .option select")) {
			const name = field.name.replace("option-", ""), value = field.value.trim();
			if (field.type === "checkbox") {
				if (field.checked) chosen[name] = true;
			} else if (value !== "") {
				chosen[name] = field.inputMode === "numeric" && /^\d{1,15}$/.test(value) ? Number(value) : value;
			}
		}
		return chosen;
	}

	// A refusal stands beside the option that it is about.
	function refuse(option, message) {
		editor.querySelectorAll(".option .note, :scope > .note").forEach((note) => note.remove());
		editor.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
		const field = option && editor.elements[`option-${option}`];
		if (!field) return;
		const note = document.createElement("p");
		note.className = "note bad";
		note.id = `error-${option}`;
		note.textContent = visible(message);
		field.closest(".option").append(note);
		field.closest("details").open = true;
		field.setAttribute("aria-invalid", "true");
		field.setAttribute("aria-describedby", `help-${option} error-${option}`);
		field.focus();
	}

	// ---- what happens, and what was found

	// What the page of the submission says, in place of what was here, unless another is under way.
	async function show(id) {
		const answer = await fetch(`/submissions/${id}`);
		if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		if (current !== id) return;
		found.replaceChildren(...page.getElementById("found").childNodes);
		found.querySelectorAll("table").forEach(makeSortable);
		found.querySelectorAll(".data .scroll").forEach((box) =>
			box.before(copyButton("Copy as CSV", () => csvOf(box.querySelector("table")))));
		const box = found.querySelector(".source"), note = box && box.querySelector(".note");
		if (note) box.scrollTop = note.parentElement.offsetTop - box.offsetTop - 60;
		if (editor) mark();
		const error = found.querySelector("[data-option]");
		if (editor && error) refuse(error.dataset.option, error.textContent);
		const verdict = found.querySelector(".verdict");
		const link = document.createElement("a");
		link.href = `/submissions/${id}`;
		link.textContent = "its page";
		live.replaceChildren(`Done: ${verdict ? verdict.lastChild.textContent : "no verdict"}. See `, link, ".");
		live.dataset.done = id;
	}

	function watch(id) {
		const events = new EventSource(`/api/submissions/${id}/events`);
		current = id;
		for (const [name, say] of Object.entries(says))
			events.addEventListener(name, (event) => { live.textContent = say(JSON.parse(event.data)); });
		for (const name of ["verdict", "withdrawn", "error"])
			events.addEventListener(name, (event) => {
				if (!event.data) { // the connection was lost: the browser begins anew, unless it was refused
					if (events.readyState === EventSource.CLOSED)
						setTimeout(() => { if (current === id) watched = watch(id); }, 10000);
					return;
				}
				events.close();
				show(id).catch((error) => { live.textContent = visible(error.message); });
			});
		return events;
	}

	async function submit(event) {
		event.preventDefault();
		if (watched) watched.close();
		watched = current = null;
		found.replaceChildren(); // what is there is of another text
		unmark();
		refuse(null);
		live.textContent = "Sent.";
		delete live.dataset.done;
		try {
			const answer = await fetch("/api/submissions", {
				method: "POST",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify({
					problem: editor.dataset.problem,
					source: code ? code.getValue() : area.value,
					name: editor.elements.name.value,
					options: options(),
				}),
			});
			const made = await answer.json();
			if (!answer.ok) {
				refuse(made.option, made.error);
				throw new Error(made.option ? `Not taken: see the option ${made.option}.` : made.error);
			}
			watched = watch(made.id);
		} catch (error) {
			live.textContent = visible(error.message);
		}
	}

	// ---- the editor

	// Where CodeMirror is installed. Tab goes on to the next field, as it does in a text field.
	function begin() {
		if (window.CodeMirror) {
			code = CodeMirror.fromTextArea(area, { // which writes into the text field before the form is sent
				mode: "text/x-c++src", lineNumbers: true, indentUnit: 4, tabSize: 4, indentWithTabs: true,
				extraKeys: { Tab: false, "Shift-Tab": false }, screenReaderLabel: area.labels[0].textContent,
			});
		} else {
			const numbered = document.createElement("div");
			gutter = document.createElement("div");
			numbered.className = "numbered";
			gutter.className = "gutter";
			gutter.setAttribute("aria-hidden", "true");
			area.replaceWith(numbered);
			numbered.append(gutter, area);
			area.addEventListener("input", edited);
			area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
			gutterDraw();
		}
		const hint = document.createElement("span");
		hint.className = "quiet";
		hint.textContent = "or Ctrl+Enter (Cmd+Enter) in the editor; a file may be dropped there";
		editor.querySelector(".send").append(" ", hint);
		editor.addEventListener("submit", submit);
		editor.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
			event.preventDefault();
			editor.requestSubmit();
		});
		editor.elements.file.addEventListener("change", (event) => {
			if (event.target.files.length > 0) takeOrSay(event.target.files[0]);
		});
		editor.addEventListener("dragover", (event) => {
			if (event.dataTransfer.types.includes("Files")) event.preventDefault();
		});
		editor.addEventListener("drop", (event) => { // before CodeMirror puts it at the cursor
			if (event.dataTransfer.files.length === 0) return;
			event.preventDefault();
			event.stopPropagation();
			takeOrSay(event.dataTransfer.files[0]);
		}, true);
		found.addEventListener("click", (event) => { // a message leads to its line, where it is mended
			const link = event.target.closest(".messages a");
			if (!link) return;
			event.preventDefault();
			goTo(Number(link.hash.replace("#line-", "")));
		});
	}

	if (editor) begin();
	if (live && live.dataset.submission) watch(live.dataset.submission);
}
