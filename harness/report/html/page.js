// Sorts tables and copies data; whatever a page says is there without it.
"use strict";

// Characters that are not seen become escapes, as where the page was written (base/utf8.c).
function visible(text) {
	const unseen = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\p{DI}\p{NChar}\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;
	return String(text).replace(unseen, (character) => {
		const digits = character.codePointAt(0).toString(16);
		return digits.length > 4 ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
	});
}

// What a cell is sorted by: a number, or words. Empty cells have neither.
function keyOf(cell, numeric) {
	const text = cell ? cell.dataset.value ?? cell.textContent.trim() : "";
	const number = numeric && text !== "" ? Number(text) : NaN;
	return Number.isNaN(number) ? text : number;
}

// Cells without a number stand behind numbers, empty ones last, in both directions.
function compare(a, b, sign) {
	const rank = (key) => (typeof key === "number" ? 0 : key === "" ? 2 : 1);
	if (rank(a) !== rank(b)) return rank(a) - rank(b);
	if (rank(a) === 0) return sign * (a === b ? 0 : a - b);
	return sign * a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(table, heading, column) {
	const ascending = heading.getAttribute("aria-sort") !== "ascending";
	const sign = ascending ? 1 : -1, numeric = heading.classList.contains("n");
	const rows = [...table.tBodies[0].rows];
	const key = (row) => keyOf(row.cells[column], numeric);
	rows.sort((a, b) => compare(key(a), key(b), sign));
	table.tBodies[0].append(...rows);
	for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
	heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
}

function makeSortable(table) {
	if (!table.tHead || table.tBodies[0].rows.length < 2) return;
	[...table.tHead.rows[0].cells].forEach((heading, column) => {
		if (heading.textContent.trim() === "") return;
		const button = document.createElement("button");
		button.type = "button";
		button.append(...heading.childNodes);
		button.addEventListener("click", () => sortBy(table, heading, column));
		heading.append(button);
	});
}

// A spreadsheet takes words that begin like a formula for one: a quote keeps them words.
function csvCell(cell) {
	let text = cell.dataset.value ?? cell.textContent.trim();
	if (/^[=+\-@\t]/.test(text) && Number.isNaN(Number(text))) text = "'" + text;
	return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csvOf(table) {
	return [...table.rows].map((row) => [...row.cells].map(csvCell).join(",") + "\n").join("");
}

async function copy(button, text) {
	const before = button.dataset.label;
	try {
		await navigator.clipboard.writeText(text);
		button.textContent = "Copied";
	} catch (refused) { // a page from a file or an older browser
		const area = document.createElement("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		button.textContent = document.execCommand("copy") ? "Copied" : "Not copied";
		area.remove();
		button.focus();
	}
	setTimeout(() => { button.textContent = before; }, 1500);
}

function copyButton(label, text) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "copy";
	button.textContent = button.dataset.label = label;
	button.setAttribute("aria-live", "polite");
	button.addEventListener("click", () => copy(button, text()));
	return button;
}

// What a link leads into is opened, also by browsers that do not do so themselves; on paper all files are.
function openFile() {
	const inside = document.getElementById(location.hash.slice(1)), file = inside && inside.closest("details.file");
	if (!file || file.open) return;
	file.open = true;
	file.scrollIntoView();
}
addEventListener("hashchange", openFile);
addEventListener("beforeprint", () => document.querySelectorAll("details.file").forEach((file) => { file.open = true; }));
openFile();

document.querySelectorAll("table").forEach(makeSortable);
document.querySelectorAll(".data .scroll").forEach((box) =>
	box.before(copyButton("Copy as CSV", () => csvOf(box.querySelector("table")))));
document.querySelectorAll("pre.command").forEach((block) =>
	block.after(copyButton("Copy", () => block.textContent.trim())));
