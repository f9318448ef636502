// What the page does beyond being read: the answer box, the two pictures that depend on it, sorting, and downloads.
"use strict";

(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // --- Figures, printed as src/report/number.rs prints them.

  const thousands = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const count = (value) => thousands(String(value));
  function figure(value) {
    if (!Number.isFinite(value)) return "–";
    const exponent = value === 0 ? 0 : Number(value.toExponential(2).split("e")[1]);
    const [whole, fraction] = value.toFixed(Math.min(Math.max(2 - exponent, 0), 9)).split(".");
    return thousands(whole) + (fraction ? `.${fraction}` : "");
  }
  const scaled = (units) => (value) => {
    const rounded = Number(value.toPrecision(3));
    const [size, unit] = units.find(([size]) => rounded >= size) ?? units[units.length - 1];
    return `${figure(value / size)} ${unit}`;
  };
  const duration = scaled([[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);
  const bytes = scaled([[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "bytes"]]);
  const bits = scaled([[1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]]);
  const bandwidth = (value) => bits(value).replace(/\.0+ /, " ");
  const percent = (part) => `${Number((part * 100).toPrecision(2))} %`;

  // --- The answer box.

  const WAYS = { decode: "decode + read", borrow: "borrow + read", access: "access + read", unchecked: "unvalidated access + read" };
  const pipeline = (one) => (one.codec ? `${one.format}.${one.codec}` : one.format);
  const short = (one) => `${pipeline(one)}, ${one.way}`;
  const label = (one) => `${pipeline(one)}, ${WAYS[one.way]}`;
  const SHOWN = 20;
  const form = $("#chooser");
  const island = form && JSON.parse($("#facts").textContent);

  // What each slider's place means, and how that is shown.
  const SLIDERS = {
    bandwidth: [(at) => 10 ** at, bandwidth],
    round_trip: [(at) => (at <= -3 ? 0 : 10 ** at * 1e6), (value) => (value === 0 ? "none" : duration(value))],
    reads_per_write: [(at) => 10 ** at, figure],
    fields_read: [(at) => 10 ** at, percent],
    cores: [(at) => 2 ** at, String],
  };

  function wishOf(fields, facts) {
    const wish = { members: facts.members, compressed: 1, codec_time: 1 };
    for (const [name, [meaning]] of Object.entries(SLIDERS)) wish[name] = meaning(Number(fields[name].value));
    for (const name of ["untrusted", "must_evolve", "libraries_only"]) wish[name] = fields[name].checked;
    wish.stored_at = fields.stored.checked ? wish.bandwidth : null;
    wish.memory = Number(fields.memory.value) > 0 ? Number(fields.memory.value) * 1e6 : null;
    return wish;
  }

  function decides(one) {
    const terms = Object.entries(one.terms);
    const whole = terms.reduce((sum, [, time]) => sum + time, 0);
    const [name, time] = terms.reduce((most, term) => (term[1] > most[1] ? term : most));
    return `${name}, ${percent(time / whole)}`;
  }

  const plans = { sequence: "in sequence", blocks: "in blocks" };
  const interval = (time) => `(${duration(time[1])}–${duration(time[2])})`;

  function winner(one, first) {
    const times = one === first ? "" : `, ${figure(one.time[0] / first.time[0])} × the first`;
    const parts = [`most of it ${decides(one)}`, plans[one.plan], `${bytes(one.bytes)} over the link`];
    if (one.memory !== null) parts.push(`${bytes(one.memory)} of memory`);
    if (one.evolves) parts.push(`silent in ${one.evolves.silent} of ${one.evolves.changes} schema changes`);
    if (one.damaged) parts.push(`${count(one.damaged.silent)} of ${count(one.damaged.payloads)} damaged payloads read as other values`);
    const item = make("li", {}, make("strong", {}, label(one)), ` ${duration(one.time[0])} `);
    item.append(make("span", { class: "range" }, interval(one.time)), `${times}${one.tie ? " · a tie" : ""}`, make("br"), make("small", {}, parts.join(" · ")));
    return item;
  }

  function remarks(ranking, sensitivity) {
    const [first] = ranking;
    const list = make("ul");
    const tied = ranking.filter((one) => one.tie && one !== first);
    if (tied.length > 0) list.append(make("li", {}, `A tie: ${tied.length} more cannot be told from the first.`));
    const library = first.ours && ranking.find((one) => !one.ours);
    if (library) list.append(make("li", {}, `The first is a layout of this crate, written by hand for one type. Of a library: ${label(library)}, ${figure(library.time[0] / first.time[0])} × as long.`));
    const changed = sensitivity.filter((one) => !one.holds);
    if (changed.length === 0) list.append(make("li", {}, "No assumption changes the answer by being off by two."));
    for (const one of changed) {
      const cost = Number.isFinite(one.regret) ? `staying would cost ${figure(one.regret)} × as much` : "the answer above is then ruled out";
      list.append(make("li", {}, `With ${one.assumption} × ${one.factor < 1 ? "½" : "2"}: ${label(one.first)}; ${cost}.`));
    }
    return list;
  }

  function rankingTable(ranking) {
    const head = ["format", "codec", "read by", "time", "plan", "most of it", "bytes", "memory"];
    const body = make("tbody");
    for (const one of ranking.slice(0, SHOWN)) {
      const memory = one.memory === null ? "?" : bytes(one.memory);
      const cells = [one.codec ?? "–", WAYS[one.way], `${duration(one.time[0])} ${interval(one.time)}`, plans[one.plan], decides(one), bytes(one.bytes), memory];
      const name = make("th", { scope: "row" }, one.format);
      if (one.tie) name.append(" ", make("span", { class: "mark" }, "tie"));
      body.append(make("tr", {}, name, ...cells.map((cell) => make("td", { class: "short" }, cell))));
    }
    const caption = `The first ${Math.min(SHOWN, ranking.length)} of ${ranking.length} pipelines`;
    const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))), body);
    const region = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, table);
    const fold = make("details", {}, make("summary", {}, "The ranking"), region);
    fold.open = Boolean($("#taken details")?.open);
    enliven(table);
    return fold;
  }

  function update() {
    const facts = island.facts[Number(form.elements.facts.value)];
    const wish = wishOf(form.elements, facts);
    for (const [name, [meaning, shown]] of Object.entries(SLIDERS)) {
      const input = form.elements[name];
      const text = shown(meaning(Number(input.value)));
      input.setAttribute("aria-valuetext", text);
      input.nextElementSibling.textContent = text;
    }
    const ranking = choice.rank(island, facts, wish);
    const answer = $("#taken");
    if (ranking.length === 0) {
      answer.replaceChildren(make("p", {}, "Nothing is left: every pipeline is ruled out."));
    } else {
      const top = make("ol", {}, ...ranking.slice(0, 3).map((one) => winner(one, ranking[0])));
      answer.replaceChildren(top, remarks(ranking, choice.sensitivity(island, facts, wish, ranking[0])), rankingTable(ranking));
      drawTransfer(facts, wish);
    }
    $("#permalink").href = `#choose?${state()}`;
    return { wish, ranking };
  }

  function state() {
    const parameters = new URLSearchParams();
    for (const input of form.elements) {
      if (!input.name) continue;
      if (input.type === "checkbox") parameters.set(input.name, input.checked ? "1" : "0");
      else if (input.value !== "") parameters.set(input.name, input.value);
    }
    return parameters;
  }

  function restore() {
    const [anchor, query] = location.hash.split("?");
    if (anchor !== "#choose" || query === undefined) return;
    for (const [name, value] of new URLSearchParams(query)) {
      const input = form.elements[name];
      if (!input) continue;
      if (input.type === "checkbox") input.checked = value === "1";
      else input.value = value;
    }
    update();
    $("#choose").scrollIntoView();
  }

  // --- The pictures of the transfer, as src/report/svg/lines.rs draws them.

  const [LEFT, RIGHT, TOP, BOTTOM, APART, RELATIVE, LINES] = [74, 605, 58, 430, 17, 4, 12];
  const letter = (index) => String.fromCharCode(65 + index);

  function drawTransfer(facts, wish) {
    const steps = Array.from({ length: 51 }, (_, step) => 10 ** (6 + step / 10));
    const speeds = steps.map((speed) => ({ ...wish, bandwidth: speed, stored_at: wish.stored_at === null ? null : speed }));
    const rankings = speeds.map((changed) => choice.rank(island, facts, changed));
    if (rankings.some((ranking) => ranking.length === 0)) return;
    const found = [];
    const bands = [];
    let current = null;
    rankings.forEach((ranking, index) => {
      const stays = current && ranking.some((one) => one.tie && choice.same(one, current));
      const best = stays ? current : ranking[0];
      if (bands.length > 0) bands[bands.length - 1].to = steps[index];
      if (!current || !choice.same(best, current)) {
        let series = found.findIndex((one) => choice.same(one, best));
        if (series < 0) series = found.push(best) - 1;
        bands.push({ from: steps[index], to: steps[index], series });
      }
      current = best;
    });
    const last = rankings[0][rankings[0].length - 1];
    const shown = found.slice(0, LINES - 1);
    const visible = bands.filter((band) => band.series < shown.length);
    if (!shown.some((one) => choice.same(one, last))) shown.push(last);
    const line = (relative) => (one) => {
      const points = rankings.map((ranking, index) => {
        const here = ranking.find((other) => choice.same(other, one));
        return here ? [steps[index], relative ? here.time[0] / ranking[0].time[0] : here.time[0]] : null;
      });
      return { label: short(one), points: points.filter(Boolean) };
    };
    draw("transfer-against-bandwidth", shown.map(line(false)), visible, { title: "time from value to value", log: true, print: duration, most: Infinity });
    draw("transfer-relative", shown.map(line(true)), visible, { title: "time as a multiple of the least", log: false, print: (tick) => tick.toFixed(1), most: RELATIVE });
  }

  function draw(id, series, bands, y) {
    const svg = $(`figure#${id} svg`);
    if (!svg) return;
    const values = series.flatMap((one) => one.points.map((point) => point[1])).filter((value) => value <= y.most);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const low = y.log ? 10 ** Math.floor(Math.log10(least)) : 1;
    const high = y.log ? 10 ** Math.ceil(Math.log10(most * 1.0001)) : Math.max(most, 1.2);
    const part = y.log ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
    const ys = (value) => BOTTOM - Math.min(Math.max(part(value), 0), 1) * (BOTTOM - TOP);
    const xs = (value) => LEFT + ((Math.log10(value) - 6) / 5) * (RIGHT - LEFT);
    const add = (name, attributes, text) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
      if (text !== undefined) element.textContent = text;
      svg.append(element);
    };
    const words = (kind, anchor, x, at, text) => add("text", { class: kind, "text-anchor": anchor, x, y: at }, text);
    const straight = (kind, x1, y1, x2, y2) => add("line", { class: kind, x1, y1, x2, y2 });
    all(":scope > :not(title, desc, style)", svg).forEach((element) => element.remove());
    add("rect", { class: "paper", width: 880, height: 486 });
    bands.forEach(({ from, to, series: index }, place) => {
      add("rect", { class: `band-${place % 2}`, x: xs(from), y: TOP, width: xs(to) - xs(from), height: BOTTOM - TOP });
      if (xs(to) - xs(from) > 12) words("head", "middle", (xs(from) + xs(to)) / 2, TOP - 8, letter(index));
    });
    for (let tick = 6; tick <= 11; tick += 1) {
      straight("grid", xs(10 ** tick), TOP, xs(10 ** tick), BOTTOM);
      words("quiet", "middle", xs(10 ** tick), BOTTOM + 18, bandwidth(10 ** tick));
    }
    const ticks = [];
    if (y.log) for (let tick = low; tick <= high * 1.01; tick *= 10) ticks.push(tick);
    else for (let tick = 1; tick <= high + 1e-9; tick += high > 2.5 ? 0.5 : 0.1) ticks.push(tick);
    for (const tick of ticks) {
      straight("grid", LEFT, ys(tick), RIGHT, ys(tick));
      words("quiet", "end", LEFT - 8, ys(tick) + 4, y.print(tick));
    }
    straight("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    straight("axis", LEFT, TOP, LEFT, BOTTOM);
    words("head", "start", 12, 24, `↑ ${y.title}`);
    words("head", "end", RIGHT, BOTTOM + 42, "bandwidth →");
    const ends = series.map((one) => (one.points.length > 0 ? ys(one.points[one.points.length - 1][1]) : BOTTOM));
    const order = ends.map((_, index) => index).sort((one, other) => ends[one] - ends[other]);
    const places = [...ends];
    let next = TOP;
    for (const index of order) next = (places[index] = Math.max(places[index], next)) + APART;
    let end = BOTTOM;
    for (const index of order.reverse()) end = (places[index] = Math.min(places[index], end)) - APART;
    series.forEach((one, index) => {
      const inside = one.points.filter((point) => point[1] <= y.most);
      const points = inside.map(([x, value]) => `${xs(x).toFixed(1)},${ys(value).toFixed(1)}`).join(" ");
      add("polyline", { class: `line-${index % 4} dash-${Math.floor(index / 4)}`, points });
      words(`name-${index % 4} halo`, "start", RIGHT + 22, places[index] + 4.5, `${letter(index)} ${one.label}`);
      straight("leader", RIGHT + 3, ends[index], RIGHT + 18, places[index]);
    });
    const said = bands.map((band) => `from ${bandwidth(band.from)} to ${bandwidth(band.to)} ${series[band.series].label}`).join("; ");
    const description = $("desc", svg);
    if (description) description.textContent = `A line a pipeline over the bandwidth, for the answer box as it stands. The least: ${said}.`;
  }

  // --- Tables: sorting and downloads.

  const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9 };
  function sortKey(cell) {
    const text = cell.textContent.trim();
    const match = /^(-?[\d,]+(?:\.\d+)?)\s*([^\s(]*)/.exec(text);
    return match ? Number(match[1].replace(/,/g, "")) * (UNITS[match[2]] ?? 1) : null;
  }

  function sort(table, column, heading) {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [row, row.classList.contains("floor"), sortKey(row.cells[column]), row.cells[column].textContent]);
    const direction = descending ? -1 : 1;
    // Floors stay on top, and what has no figure at the end.
    rows.sort(([, oneFloor, one, oneText], [, otherFloor, other, otherText]) => {
      if (oneFloor !== otherFloor) return oneFloor ? -1 : 1;
      if (one !== null && other !== null) return direction * (one - other);
      if (one !== null || other !== null) return one !== null ? -1 : 1;
      return direction * oneText.localeCompare(otherText);
    });
    body.append(...rows.map(([row]) => row));
  }

  function save(name, type, content) {
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }

  function csv(table) {
    const quote = (cell) => `"${cell.textContent.replace(/\s+/g, " ").trim().replace(/"/g, '""')}"`;
    return [...table.rows].map((row) => [...row.cells].map(quote).join(",")).join("\n");
  }

  function enliven(table) {
    const headings = all("thead th", table);
    headings.forEach((heading, column) => {
      if (!heading.textContent.trim()) return;
      const button = make("button", { type: "button", class: "sort" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, column, heading));
    });
    const caption = table.caption;
    if (!caption) return;
    const button = make("button", { type: "button", class: "tool", "aria-label": `Download as CSV: ${caption.textContent.trim()}` }, "CSV");
    button.addEventListener("click", () => save("table.csv", "text/csv", csv(table)));
    caption.append(" ", button);
  }

  all("main table").forEach(enliven);
  // A picture is saved as it stands, with its style, and not as the file beside the page.
  for (const link of all("a.download")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const svg = $("svg", link.closest("figure")).cloneNode(true);
      const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
      style.textContent = $("style").textContent;
      svg.prepend(style);
      save(link.getAttribute("download"), "image/svg+xml", new XMLSerializer().serializeToString(svg));
    });
  }

  if (!form) return;
  island.facts.forEach((facts, index) => {
    form.elements.facts.append(make("option", { value: index }, `${facts.dataset}, ${thousands(String(facts.members))} members`));
  });
  form.hidden = $("#taken").hidden = false;
  form.addEventListener("input", () => {
    update();
    history.replaceState(null, "", `#choose?${state()}`);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(update));
  addEventListener("hashchange", restore);
  update();
  restore();
  // For the tests, and for a console: the answer to any wish.
  globalThis.wirewise = { island, rank: (index, wish) => choice.rank(island, island.facts[index], wish), update };
})();
