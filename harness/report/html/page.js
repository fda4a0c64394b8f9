// Sorts tables and copies data; whatever a page says is there without it.
"use strict";

// What a cell is sorted by: its number where it has one, else its words.
function keyOf(cell) {
	if (!cell) return "";
	return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent.trim();
}

// Cells without a number, and empty ones, stand last in both directions.
function compare(a, b, sign, numeric) {
	const none = (key) => key === "" || (numeric && (typeof key !== "number" || Number.isNaN(key)));
	if (none(a) || none(b)) return none(a) - none(b);
	if (typeof a === "number" && typeof b === "number") return sign * (a - b);
	return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortBy(table, heading, column) {
	const ascending = heading.getAttribute("aria-sort") !== "ascending";
	const sign = ascending ? 1 : -1, numeric = heading.classList.contains("n");
	const rows = [...table.tBodies[0].rows];
	rows.sort((a, b) => compare(keyOf(a.cells[column]), keyOf(b.cells[column]), sign, numeric));
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
	if (cell.dataset.value !== undefined) return cell.dataset.value;
	let text = cell.textContent.trim();
	if (/^[=+\-@\t]/.test(text)) text = "'" + text;
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

function addCopy(before, label, text) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "copy";
	button.textContent = button.dataset.label = label;
	button.setAttribute("aria-live", "polite");
	button.addEventListener("click", () => copy(button, text()));
	before.before(button);
}

document.querySelectorAll("table").forEach(makeSortable);
document.querySelectorAll("details.data .scroll").forEach((box) =>
	addCopy(box, "Copy as CSV", () => csvOf(box.querySelector("table"))));
document.querySelectorAll("pre.command").forEach((block) =>
	addCopy(block, "Copy", () => block.textContent));
