// The page in a real browser: nothing but itself is fetched, nothing is complained of, and the answer box answers as `wirewise choose`.
// Run by scripts/browser-tests, which installs what this needs and names it in the environment.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import test, { after, before } from "node:test";

const { MODULES, CHROMIUM, WIREWISE, RECORDS, REPORT, SCREENSHOTS } = process.env;
const require = createRequire(`${MODULES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const page = pathToFileURL(`${REPORT}/index.html`).href;

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
after(() => browser?.close());

// Opens the page, and fails the test for what the console says or the page asks the network for.
async function open(options = {}, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const tab = await context.newPage();
  const complaints = [];
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  tab.on("pageerror", (error) => complaints.push(String(error)));
  tab.on("request", (request) => request.url().split("#")[0] !== page && !request.url().startsWith("blob:") && complaints.push(`asked for ${request.url()}`));
  await tab.goto(page + hash, { waitUntil: "load" });
  return { tab, async close() {
    await context.close();
    assert.deepEqual(complaints, []);
  } };
}

const first = (tab) => tab.locator("#taken ol li strong").first().textContent();
const set = (tab, name, value) =>
  tab.locator(`#chooser [name=${name}]`).evaluate((input, value) => {
    if (input.type === "checkbox") input.checked = value;
    else input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);

// Pictures to be looked at, where a folder for them is named.
async function look(tab, name, fullPage = false) {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await tab.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage });
}

test("the answer box answers, and a slider changes the answer", async () => {
  const { tab, close } = await open();
  assert.equal(await tab.locator("#taken ol li").count(), 3);
  await set(tab, "bandwidth", "6");
  const slow = await first(tab);
  // Every line: that of a format which reads everything anyhow does not move.
  const picture = () => tab.locator("#transfer-relative svg polyline").evaluateAll((lines) => lines.map((line) => line.getAttribute("points")));
  const slowPicture = await picture();
  await set(tab, "bandwidth", "11");
  assert.notEqual(await first(tab), slow);
  await set(tab, "fields_read", "-3");
  assert.notDeepEqual(await picture(), slowPicture);
  await set(tab, "memory", "1");
  assert.match(await tab.locator("#taken").textContent(), /Nothing is left/);
  await tab.locator("#chooser button[type=reset]").click();
  await tab.locator("#taken ol").waitFor();
  await close();
});

test("the page and the program give the same ranking", async () => {
  const { tab, close } = await open();
  const facts = await tab.evaluate(() => wirewise.island.facts.map(({ dataset, members }) => ({ dataset, members })));
  const wishes = [
    [],
    ["--bandwidth", "1Mbit", "--round-trip", "50ms", "--untrusted"],
    ["--bandwidth", "100Mbit", "--reads-per-write", "20", "--fields-read", "5%", "--cores", "2", "--untrusted", "--memory", "512MB", "--must-evolve"],
    ["--bandwidth", "10Gbit", "--cores", "8", "--libraries-only", "--members", "1000"],
    ["--bandwidth", "500MB", "--stored-at", "200MB", "--reads-per-write", "0.25", "--fields-read", "0.1%"],
    ["--bandwidth", "100Gbit", "--cores", "64", "--reads-per-write", "1000"],
  ];
  for (const wish of wishes) {
    const told = JSON.parse(execFileSync(WIREWISE, ["choose", "--json", "--records", RECORDS, ...wish], { maxBuffer: 1 << 26 }));
    const index = facts.findIndex(({ dataset, members }) => dataset === told.dataset && members === told.measured_members);
    const ranking = await tab.evaluate(([index, wish]) => wirewise.rank(index, wish), [index, told.wish]);
    assert.equal(ranking.length, told.ranking.length, wish.join(" "));
    ranking.forEach((one, place) => {
      const other = told.ranking[place];
      assert.deepEqual([one.format, one.codec, one.way, one.plan, one.tie], [other.format, other.codec, other.way, other.plan, other.tie], `${wish.join(" ")}: place ${place}`);
      for (const [mine, theirs] of [...one.time.map((time, end) => [time, other.time[end]]), [one.bytes, other.bytes], [one.memory ?? 0, other.memory ?? 0]]) {
        assert.ok(Math.abs(mine - theirs) <= 1e-9 * Math.abs(theirs), `${wish.join(" ")}: ${mine} where ${theirs} was told`);
      }
    });
  }
  await close();
});

test("a link restores the answer", async () => {
  const { tab, close } = await open();
  await set(tab, "bandwidth", "10.5");
  await set(tab, "untrusted", false);
  await set(tab, "cores", "2");
  const [hash, answer] = [await tab.evaluate(() => location.hash), await first(tab)];
  assert.equal(await tab.locator("#permalink").getAttribute("href"), hash);
  await close();
  const again = await open({}, hash);
  assert.equal(await first(again.tab), answer);
  assert.equal(await again.tab.locator("#chooser [name=untrusted]").isChecked(), false);
  assert.equal(await again.tab.locator("#chooser [name=bandwidth]").inputValue(), "10.5");
  await again.close();
});

test("tables are sorted by a click and by a key, floors on top", async () => {
  const { tab, close } = await open();
  const table = tab.locator("table").filter({ hasText: "Encode into a reused sink" }).first();
  const figures = () => table.locator("tbody tr:not(.floor)").evaluateAll((rows) => rows.map((row) => parseFloat(row.cells[4].textContent.replace(/,/g, ""))).filter(Number.isFinite));
  const heading = table.locator("thead button").nth(4);
  await heading.click();
  const ascending = await figures();
  assert.deepEqual(ascending, [...ascending].sort((one, other) => one - other));
  assert.equal(await table.locator("th[aria-sort]").getAttribute("aria-sort"), "ascending");
  await heading.focus();
  await tab.keyboard.press("Enter");
  assert.deepEqual(await figures(), ascending.reverse());
  const floors = await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.classList.contains("floor")));
  assert.ok(floors[0] && floors.lastIndexOf(true) < floors.indexOf(false));
  await close();
});

test("every picture has a link, a table after it and a download", async () => {
  const { tab, close } = await open();
  const ids = await tab.locator("figure").evaluateAll((figures) => figures.map((figure) => figure.id));
  assert.ok(ids.length >= 6 && new Set(ids).size === ids.length, ids.join(" "));
  for (const id of ids) {
    const figure = tab.locator(`figure#${id}`);
    assert.equal(await figure.locator(`a[href="#${id}"]`).count(), 1, id);
    assert.equal(await figure.locator("svg title").count(), 1, id);
    const hasTable = await figure.evaluate((figure) => {
      const all = [...document.querySelectorAll("figure, table")];
      return all.slice(all.indexOf(figure) + 1).some((element) => element.tagName === "TABLE");
    });
    assert.ok(hasTable, id);
  }
  const saved = async (locator) => {
    const [download] = await Promise.all([tab.waitForEvent("download"), locator.click()]);
    return readFileSync(await download.path(), "utf8");
  };
  assert.match(await saved(tab.locator("figure a.download").first()), /^<svg[^>]*>.*<polyline/s);
  assert.match(await saved(tab.locator("#choose ~ div.scroll caption button.tool").first()), /^"over","take"/);
  await close();
});

for (const [name, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
]) {
  test(`nothing serious for those who see, hear or click otherwise: ${name}`, async () => {
    const { tab, close } = await open(options);
    const width = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(width[0] <= width[1], `the page is ${width[0]} wide on ${width[1]}`);
    await look(tab, name);
    await tab.locator("#transfer-against-bandwidth").scrollIntoViewIfNeeded();
    await look(tab, `${name}-pictures`);
    if (name !== "phone") await look(tab, `${name}-whole`, true);
    await tab.evaluate(axe);
    const found = await tab.evaluate(() => axe.run({ resultTypes: ["violations"] }));
    const serious = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))]), []);
    await close();
  });
}

test("without script it can be read", async () => {
  const { tab, close } = await open({ javaScriptEnabled: false });
  assert.equal(await tab.locator("#chooser").isVisible(), false);
  assert.ok(await tab.locator("#choose ~ div table").first().isVisible());
  assert.ok(await tab.locator("#transfer-against-bandwidth svg polyline").first().isVisible());
  await look(tab, "without-script");
  await close();
});
