/* What is wrong with the page that is open, as lists of sentences; evaluated in it by check.py. */
({
	/* Nothing is wider than the window, and nothing was cut off to make it so. */
	width() {
		const found = [];
		const root = document.documentElement;
		if (root.scrollWidth > innerWidth) {
			const wide = [...document.querySelectorAll("body *")].filter(
				(e) => e.getBoundingClientRect().right > innerWidth + 1 && !this.boxed(e));
			const what = wide.length ? this.name(wide[wide.length - 1]) : "something";
			found.push(`${what} makes the page ${root.scrollWidth} wide in a window of ${innerWidth}`);
		}
		for (const e of [root, document.body])
			if (/hidden|clip/.test(getComputedStyle(e).overflowX))
				found.push(`${this.name(e)} hides what is too wide`);
		return found;
	},

	/* Scrolls, or is cut, inside a box of its own. */
	boxed(element) {
		for (let e = element.parentElement; e && e !== document.body; e = e.parentElement)
			if (getComputedStyle(e).overflowX !== "visible") return true;
		return false;
	},

	name(e) {
		const kind = e.getAttribute("class");
		return `<${e.localName}${kind ? ` class="${kind}"` : ""}> "${e.textContent.trim().slice(0, 30)}"`;
	},

	/* One h1, first; no level is left out. */
	headings() {
		const levels = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map((h) => +h.localName[1]);
		const found = [];
		if (levels[0] !== 1 || levels.filter((l) => l === 1).length !== 1)
			found.push("the page does not begin with its one h1");
		levels.forEach((level, i) => {
			if (i > 0 && level > levels[i - 1] + 1) found.push(`an h${level} follows an h${levels[i - 1]}`);
		});
		return found;
	},

	/* What a page says of itself, and of its tables and pictures. */
	structure() {
		const found = [];
		if (!document.documentElement.lang) found.push("the page has no language");
		if (!document.title) found.push("the page has no title");
		if (document.compatMode !== "CSS1Compat") found.push("the page has no doctype");
		for (const table of document.querySelectorAll("table")) {
			if (!table.caption || !table.caption.textContent.trim())
				found.push(`${this.name(table)} has no caption`);
			for (const head of table.querySelectorAll("th"))
				if (!head.scope) found.push(`${this.name(head)} has no scope`);
		}
		for (const svg of document.querySelectorAll("svg"))
			if (svg.getAttribute("role") !== "img" && svg.getAttribute("aria-hidden") !== "true")
				found.push(`an svg is neither an image nor hidden: ${this.name(svg)}`);
		for (const box of document.querySelectorAll("body *"))
			if (box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(box).overflowX) &&
				box.tabIndex < 0)
				found.push(`${this.name(box)} scrolls, and no key gets there`);
		const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
		for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push(`the id ${id} is there twice`);
		return found;
	},

	/* ---- contrast: WCAG 2.1, 1.4.3 ------------------------------------------------- */

	color(text) {
		const part = text.match(/[\d.]+/g);
		if (!part || text === "none") return [0, 0, 0, 0];
		const [r, g, b, a = 1] = part.map(Number);
		return text.startsWith("color(") ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
	},

	over([r, g, b, a], [R, G, B]) {
		return [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
	},

	luminance(color) {
		const [r, g, b] = color.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	},

	/* What lies behind an element: backgrounds of those around it, and what was drawn before it in a plot. */
	ground(element) {
		const layers = [];
		const svg = element.closest("svg");
		if (svg) {
			const at = element.getBoundingClientRect();
			const x = at.left + at.width / 2, y = at.top + at.height / 2;
			for (const shape of [...svg.querySelectorAll("rect,circle,path,polygon")].reverse()) {
				const box = shape.getBoundingClientRect(), style = getComputedStyle(shape);
				if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
				if (x < box.left || x > box.right || y < box.top || y > box.bottom || shape.localName === "path") continue;
				const fill = this.color(style.fill);
				layers.push([...fill.slice(0, 3), fill[3] * style.fillOpacity * style.opacity]);
			}
		}
		for (let e = svg || element; e; e = e.parentElement) layers.push(this.color(getComputedStyle(e).backgroundColor));
		const dark = matchMedia("(prefers-color-scheme: dark)").matches &&
			/dark/.test(getComputedStyle(document.documentElement).colorScheme);
		return layers.reverse().reduce((under, layer) => this.over(layer, under), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
	},

	contrast() {
		const found = new Set();
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let node = walk.nextNode(); node; node = walk.nextNode()) {
			const e = node.parentElement;
			const box = e.getBoundingClientRect();
			if (!node.data.trim() || /^(script|style|title|desc)$/.test(e.localName) || !box.width ||
				!e.checkVisibility({ visibilityProperty: true })) continue;
			const style = getComputedStyle(e), ground = this.ground(e);
			const ink = this.color(e.closest("svg") && e.localName !== "div" ? style.fill : style.color);
			const [a, b] = [this.luminance(this.over(ink, ground)), this.luminance(ground)];
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
			if (!(ratio >= (large ? 3 : 4.5)))
				found.add(`${this.name(e)} has a contrast of ${ratio.toFixed(1)}`);
		}
		return [...found];
	},

	/* ---- what the tables hold ------------------------------------------------------- */

	/* What a cell holds: its number where it has one, else its words. */
	cell(cell) {
		return cell.dataset.value ?? cell.textContent.trim();
	},

	/* The cells of a heading's column, and what its button last did. */
	column(head) {
		const table = head.closest("table");
		return {
			order: head.getAttribute("aria-sort"),
			others: table.querySelectorAll("th[aria-sort]").length - head.hasAttribute("aria-sort"),
			cells: [...table.tBodies].flatMap((body) => [...body.rows]).map((row) => this.cell(row.cells[head.cellIndex])),
		};
	},

	/* The buttons that sort: each column before, and after each of two clicks. */
	sorted() {
		const tables = [...document.querySelectorAll("table")];
		return [...document.querySelectorAll("th button")].map((button) => {
			const head = button.closest("th"), states = [this.column(head)];
			for (let click = 0; click < 2; click++) {
				button.click();
				states.push(this.column(head));
			}
			return { name: `table ${tables.indexOf(head.closest("table")) + 1}, ${head.textContent.trim()}`, states };
		});
	},

	/* The first button of each table: by it one that reads with keys tries them. */
	firstSorters() {
		const all = [...document.querySelectorAll("th button")];
		return all.flatMap((b, i) => (i === 0 || all[i - 1].closest("table") !== b.closest("table") ? [i] : []));
	},

	sorter(index) {
		return this.column(document.querySelectorAll("th button")[index].closest("th"));
	},

	/* The buttons that copy a table: the cells of each, as rows. */
	copied() {
		return [...document.querySelectorAll(".data button.copy, details button.copy")].map((button) => {
			const table = button.closest(".data, details").querySelector("table");
			return [...table.rows].map((row) => [...row.cells].map((cell) => this.cell(cell)));
		});
	},

	texts() {
		return [...document.querySelectorAll("h1,h2,h3,p,li,td,th,caption,summary,pre")].map((e) => e.textContent.trim());
	},
})
