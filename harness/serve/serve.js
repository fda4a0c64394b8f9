// Submits without leaving the page, and tells what happens as it happens; all of it is there without.
"use strict";
{
	const live = document.getElementById("live");
	const found = document.getElementById("found");
	const editor = document.getElementById("editor");

	const says = {
		queued: (e) => (e.place ? `It waits, place ${e.place} in the queue.` : "It waits."),
		compiling: () => "Compiling.",
		compiled: (e) => (e.ok ? "Compiled." : "The compiler refused it."),
		case: (e) => `Case ${e.number} of ${e.of}: ${e.case.verdict}.`,
		timing: () => "Timing.",
	};

	// What the page of the submission says, in place of what was here.
	async function show(id) {
		const answer = await fetch(`/submissions/${id}`);
		if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		found.replaceChildren(...page.getElementById("found").childNodes);
		found.querySelectorAll("table").forEach(makeSortable);
		found.querySelectorAll(".data .scroll").forEach((box) =>
			box.before(copyButton("Copy as CSV", () => csvOf(box.querySelector("table")))));
		const box = found.querySelector(".source"), note = box && box.querySelector(".note");
		if (note) box.scrollTop = note.parentElement.offsetTop - box.offsetTop - 60;
		const verdict = found.querySelector(".verdict");
		const link = document.createElement("a");
		link.href = `/submissions/${id}`;
		link.textContent = "its page";
		live.replaceChildren(`Done: ${verdict ? verdict.lastChild.textContent : "no verdict"}. See `, link, ".");
		live.dataset.done = id;
	}

	function watch(id) {
		const events = new EventSource(`/api/submissions/${id}/events`);
		for (const [name, say] of Object.entries(says))
			events.addEventListener(name, (event) => { live.textContent = say(JSON.parse(event.data)); });
		for (const name of ["verdict", "withdrawn", "error"])
			events.addEventListener(name, (event) => {
				if (!event.data) return; // the connection was lost: the browser begins anew
				events.close();
				show(id).catch((error) => { live.textContent = String(error.message); });
			});
		return events;
	}

	let watched = null;
	async function submit(event) {
		event.preventDefault();
		if (watched) watched.close();
		watched = null;
		live.textContent = "Sent.";
		delete live.dataset.done;
		try {
			const answer = await fetch("/api/submissions", {
				method: "POST",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify({
					problem: editor.dataset.problem,
					source: editor.elements.source.value,
					name: editor.elements.name.value || "solution.cu",
				}),
			});
			const made = await answer.json();
			if (!answer.ok) throw new Error(made.error);
			watched = watch(made.id);
		} catch (error) {
			live.textContent = String(error.message);
		}
	}

	// Where CodeMirror is installed. Tab goes on to the next field, as it does in a text field.
	if (editor && window.CodeMirror) {
		const area = editor.elements.source;
		CodeMirror.fromTextArea(area, { // which writes into the text field before the form is sent
			mode: "text/x-c++src", lineNumbers: true, indentUnit: 4, tabSize: 4, indentWithTabs: true,
			extraKeys: { Tab: false, "Shift-Tab": false }, screenReaderLabel: area.labels[0].textContent,
		});
	}

	if (editor) editor.addEventListener("submit", submit);
	if (live && live.dataset.submission) watch(live.dataset.submission);
}
