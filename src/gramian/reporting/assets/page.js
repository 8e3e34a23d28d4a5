(() => {
"use strict";
const root = document.documentElement;
const all = (query, within = document) => [...within.querySelectorAll(query)];
const make = (name, attributes = {}, text = "") => {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.textContent = text;
  return made;
};
root.classList.add("live");

// The theme: the reader's own until it is switched, remembered for the session where that is allowed.
const remembered = (value) => {
  try {
    if (value) sessionStorage.setItem("gramian-theme", value);
    return sessionStorage.getItem("gramian-theme");
  } catch { return null; }
};
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
if (["dark", "light"].includes(remembered())) root.dataset.theme = remembered();
const switcher = document.querySelector(".theme");
const tellTheme = () => {
  switcher.textContent = isDark() ? "☀ Light" : "☾ Dark";
  switcher.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
};
switcher.hidden = false;
switcher.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  remembered(root.dataset.theme);
  tellTheme();
});
system.addEventListener("change", tellTheme);
tellTheme();

// Sections fold to their title and first sentence: those that say so and, on a phone, all but the first. What is looked
// for within the page, or led to by a link, unfolds by itself, and print shows everything.
const folds = all("main > section").map((section, k) => {
  const inside = section.querySelector(".inside"), title = section.querySelector("h2");
  if (!inside || !inside.children.length) return null;
  const button = make("button", { type: "button", class: "fold", "aria-controls": inside.id }, title.textContent);
  title.replaceChildren(button);
  const set = (open) => {
    if (open) inside.removeAttribute("hidden"); else inside.setAttribute("hidden", "until-found");
    button.setAttribute("aria-expanded", String(open));
    section.classList.toggle("folded", !open);
    tellFolds();
  };
  button.addEventListener("click", () => set(inside.hasAttribute("hidden")));
  inside.addEventListener("beforematch", () => set(true));
  const narrow = matchMedia("(max-width: 40rem)").matches;
  return { section, inside, set, open: !("folded" in section.dataset) && !(narrow && k > 0) };
}).filter(Boolean);
const unfolder = document.querySelector(".unfold");
const anyFolded = () => folds.some((one) => one.inside.hasAttribute("hidden"));
function tellFolds() {
  unfolder.textContent = anyFolded() ? "Unfold all" : "Fold all";
}
folds.forEach((one) => one.set(one.open));
unfolder.hidden = !folds.length;
unfolder.addEventListener("click", () => {
  const open = anyFolded();
  folds.forEach((one) => one.set(open));
});
const reveal = (goal) => folds.forEach((one) => { if (goal && one.section.contains(goal)) one.set(true); });
const goalOf = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
reveal(goalOf(location.hash));
addEventListener("hashchange", () => reveal(goalOf(location.hash)));
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.getAttribute("href") !== "#main") reveal(goalOf(link.getAttribute("href")));
});

// Contents: folded on narrow screens, and always telling where the reader is.
const contents = document.querySelector(".toc details");
const wide = matchMedia("(min-width: 64rem)");
const fold = () => { contents.open = wide.matches; };
wide.addEventListener("change", fold);
fold();
const links = new Map(all(".toc a").map((link) => [link.hash.slice(1), link]));
const sections = all("main > section");
const tellPlace = () => {
  const above = sections.filter((one) => one.getBoundingClientRect().top < innerHeight * 0.3);
  const atEnd = innerHeight + scrollY >= root.scrollHeight - 4;
  const here = atEnd && scrollY > 0 ? sections.at(-1) : above.at(-1) || sections[0];
  links.forEach((link, id) => here && id === here.id
    ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
};
let waiting = false;
addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; tellPlace(); });
}, { passive: true });
tellPlace();

// In a frame without an address of its own, links within the page are followed by hand.
if (location.protocol === "about:") document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  const goal = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!goal) return;
  event.preventDefault();
  goal.setAttribute("tabindex", "-1");
  goal.focus();
  goal.scrollIntoView();
});

// Long tables show their first rows, and boxes that do not scroll are no stop for the keyboard.
all(".more").forEach((rest) => {
  const table = rest.closest("table");
  const shown = make("button", { type: "button", class: "more-button", "aria-expanded": "false" });
  const tell = () => {
    shown.textContent = rest.hidden ? `Show all ${rest.dataset.all} rows` : "Show fewer rows";
    shown.setAttribute("aria-expanded", String(!rest.hidden));
  };
  rest.hidden = true;
  tell();
  shown.addEventListener("click", () => { rest.hidden = !rest.hidden; tell(); });
  table.parentElement.after(shown);
});
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  const scrolls = target.scrollWidth > target.clientWidth + 1 || target.scrollHeight > target.clientHeight + 1;
  target.toggleAttribute("tabindex", scrolls);
  if (scrolls) target.setAttribute("tabindex", "0");
}));
all(".box").forEach((box) => sizes.observe(box));

// One note beside the pointer for all figures, and one voice for those who listen.
const tip = make("div", { class: "tip", "aria-hidden": "true" });
const voice = make("div", { class: "unseen", "aria-live": "polite" });
tip.hidden = true;
document.body.append(tip, voice);

const NS = "http://www.w3.org/2000/svg";
const number = (element, name) => Number(element.getAttribute(name)) || 0;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

const figure = (plot) => {
  const svg = plot.querySelector("svg");
  const whole = plot.closest("figure");
  const table = whole.querySelector(".data table");
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const body = table.tBodies[0];
  const shown = (plot.dataset.shown || "").split(" ").filter(Boolean).map(Number);
  const grid = plot.dataset.grid && plot.dataset.grid.split(" ").map(Number);
  const marks = grid
    ? Array.from({ length: grid[0] * grid[1] }, (_, k) => ({
      x: grid[2] + grid[4] * (k % grid[1]), y: grid[3] + grid[5] * Math.floor(k / grid[1]), w: grid[4], h: grid[5] }))
    : all(".marks > *", svg).map((element) => ({
      element, x: number(element, "x"), y: number(element, "y"),
      w: number(element, "width"), h: number(element, "height"), group: element.dataset.g }));
  if (!marks.length) return;
  const points = !grid && marks[0].element.nodeName === "use";
  const hidden = new Set();
  const cursor = document.createElementNS(NS, points ? "circle" : "rect");
  cursor.setAttribute("class", "cursor off");
  svg.append(cursor);
  let current = -1;

  // Zoom: places are scaled, markers keep their size.
  const zoomable = plot.dataset.zoom !== undefined;
  const [left, top, right, bottom] = zoomable ? plot.dataset.zoom.split(" ").map(Number) : [-1e9, -1e9, 1e9, 1e9];
  const view = { k: 1, x: 0, y: 0 };
  const seen = (mark) => ({ x: mark.x * view.k + view.x, y: mark.y * view.k + view.y });
  const visible = (mark) => {
    if (hidden.has(mark.group)) return false;
    const { x, y } = seen(mark);
    return x >= left && x <= right && y >= top && y <= bottom;
  };

  const told = (k) => {
    if (grid) {
      const row = body.rows[Math.floor(k / grid[1])], column = k % grid[1] + 1;
      return [`${row.cells[0].textContent} × ${heads[column]}`, [[plot.dataset.value, row.cells[column].textContent]]];
    }
    const cells = body.rows[k].cells;
    const rest = shown.slice(1).map((column) => [heads[column], cells[column].textContent]);
    const first = cells[shown[0]].textContent;
    return [plot.dataset.named !== undefined ? `${heads[shown[0]]} ${first}` : first, rest];
  };
  const place = () => {
    const mark = marks[current], at = seen(mark);
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    const frame = svg.getBoundingClientRect();
    const x = frame.left + (at.x + mark.w / 2) * scale, y = frame.top + (at.y + (points ? 0 : mark.h / 2)) * scale;
    tip.style.transform = "none";
    const width = tip.offsetWidth, height = tip.offsetHeight;
    const above = y - height - 14 > 4;
    const lx = clamp(x - width / 2, 8, Math.max(8, root.clientWidth - width - 8));
    tip.style.transform = `translate(${lx + scrollX}px, ${(above ? y - height - 14 : y + 16) + scrollY}px)`;
    if (points) {
      cursor.setAttribute("cx", at.x); cursor.setAttribute("cy", at.y); cursor.setAttribute("r", 8);
    } else {
      for (const [name, value] of [["x", mark.x], ["y", mark.y], ["width", mark.w], ["height", mark.h]]) cursor.setAttribute(name, value);
    }
    cursor.classList.remove("off");
  };
  const show = (k, aloud) => {
    current = k;
    const [title, rest] = told(k);
    tip.textContent = "";
    tip.append(make("p", { dir: "auto" }, title));
    const list = make("dl");
    for (const [name, value] of rest) if (value) list.append(make("dt", {}, name), make("dd", {}, value));
    if (list.children.length) tip.append(list);
    tip.hidden = false;
    place();
    if (aloud) voice.textContent = [title, ...rest.map((pair) => pair.join(": "))].join(", ");
  };
  const hide = () => {
    tip.hidden = true;
    cursor.classList.add("off");
  };

  const local = (event) => {
    const frame = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / frame.width;
    return { x: (event.clientX - frame.left) * scale, y: (event.clientY - frame.top) * scale, scale };
  };
  const at = (event) => {
    const { x, y, scale } = local(event);
    if (points) {
      let best = -1, least = (event.pointerType === "touch" ? 30 : 22) * scale;
      marks.forEach((mark, k) => {
        if (!visible(mark)) return;
        const p = seen(mark), distance = Math.hypot(p.x - x, p.y - y);
        if (distance < least) { least = distance; best = k; }
      });
      return best;
    }
    if (grid) {
      const c = Math.floor((x - grid[2]) / grid[4]), r = Math.floor((y - grid[3]) / grid[5]);
      return c >= 0 && c < grid[1] && r >= 0 && r < grid[0] ? r * grid[1] + c : -1;
    }
    return plot.dataset.rows !== undefined
      ? marks.findIndex((mark) => y >= mark.y - 12 && y < mark.y + mark.h + 12)
      : marks.findIndex((mark) => x >= mark.x && x < mark.x + mark.w && y >= mark.y && y <= mark.y + mark.h);
  };

  // The keyboard: an arrow goes to the nearest mark on that side, Home and End to the first and last of the table.
  const towards = (dx, dy) => {
    const from = seen(marks[current]), w = marks[current].w, h = marks[current].h;
    let best = -1, least = Infinity;
    marks.forEach((mark, k) => {
      if (k === current || !visible(mark)) return;
      const p = seen(mark);
      const x = p.x + mark.w / 2 - from.x - w / 2, y = p.y + mark.h / 2 - from.y - h / 2;
      const ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (ahead <= 1e-9 || (zoomable && aside > 2 * ahead + 4)) return;
      const cost = points && !zoomable && dx ? ahead + (mark.group === marks[current].group ? 0 : 1e6) : ahead + 2 * aside;
      if (cost < least) { least = cost; best = k; }
    });
    return best;
  };
  const turn = (step) => {
    for (let k = current + step; k >= 0 && k < marks.length; k += step) if (visible(marks[k])) return k;
    return -1;
  };
  const keys = {
    ArrowRight: () => towards(1, 0), ArrowLeft: () => towards(-1, 0),
    ArrowDown: () => towards(0, 1), ArrowUp: () => towards(0, -1),
    PageDown: () => turn(1), PageUp: () => turn(-1),
    Home: () => marks.findIndex(visible), End: () => marks.findLastIndex(visible),
  };
  plot.setAttribute("tabindex", "0");
  plot.setAttribute("role", "application");
  plot.setAttribute("aria-roledescription", "interactive figure");
  plot.setAttribute("aria-label", `${svg.getAttribute("aria-label").replace(/\.$/, "")}. Arrow keys move between the marks${
    zoomable ? ", plus and minus zoom, zero shows everything" : ""}.`);
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return hide();
    if (zoomable && "+=-0".includes(event.key)) {
      event.preventDefault();
      return event.key === "0" ? zoom(0) : zoom(event.key === "-" ? 1 / 1.5 : 1.5);
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    const fresh = current < 0 || !visible(marks[current]);
    const next = fresh && event.key.startsWith("Arrow") ? marks.findIndex(visible) : keys[event.key]();
    if (next >= 0) show(next, true);
  });
  plot.addEventListener("blur", hide);

  // The pointer.
  const fingers = new Map();
  let held = null, spread = 0;
  plot.addEventListener("pointermove", (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, local(event));
    if (zoomable && fingers.size === 2) return pinch();
    if (held && zoomable && view.k > 1) {
      const now = local(event);
      view.x += now.x - held.x; view.y += now.y - held.y;
      held = now;
      hide();
      return redraw();
    }
    const k = at(event);
    if (k < 0) hide(); else if (k !== current || tip.hidden) show(k, false);
  });
  plot.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, local(event));
    held = local(event);
    const k = at(event);
    if (k >= 0) show(k, false);
  });
  const release = (event) => { fingers.delete(event.pointerId); held = null; spread = 0; };
  for (const name of ["pointerup", "pointercancel"]) plot.addEventListener(name, release);
  plot.addEventListener("pointerleave", (event) => {
    release(event);
    if (event.pointerType !== "touch") hide();
  });

  // The legend.
  all(".legend button", whole).forEach((button) => button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true", group = button.dataset.g;
    button.setAttribute("aria-pressed", String(on));
    if (on) hidden.delete(group); else hidden.add(group);
    all(`[data-g="${group}"]`, svg).forEach((element) => element.classList.toggle("off", !on));
    hide();
  }));
  if (!zoomable) return;

  const uses = [...all(".marks > use", svg), ...all(".rings > use", svg)];
  const places = uses.map((element) => [number(element, "x"), number(element, "y")]);
  const edges = svg.querySelector(".edges");
  const edgePlaces = edges && edges.getAttribute("d").match(/-?[\d.]+/g).map(Number);
  const first = all(".grid, .ticks", svg).map((group) => [group, group.innerHTML]);
  const roundStep = (least) => {
    const unit = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].find((factor) => factor * unit >= least * (1 - 1e-9)) * unit;
  };
  const axis = (name) => {
    const [low, high, exponent] = plot.dataset[name].split(" ").map(Number);
    const flat = name === "x", begin = flat ? left : bottom, end = flat ? right : top;
    const value = (p) => low + ((p - view[name]) / view.k - begin) / (end - begin) * (high - low);
    const from = value(begin), to = value(end), step = roundStep((to - from) / 8);
    const decimals = Math.max(0, -Math.floor(Math.log10(step / 10 ** exponent) + 1e-9));
    const lines = svg.querySelector(`.grid.${name}`), labels = svg.querySelector(`.ticks.${name}`);
    lines.textContent = labels.textContent = "";
    for (let i = Math.ceil(from / step - 1e-9); i <= Math.floor(to / step + 1e-9); i++) {
      const p = (begin + (i * step - low) / (high - low) * (end - begin)) * view.k + view[name];
      const line = document.createElementNS(NS, "path"), label = document.createElementNS(NS, "text");
      line.setAttribute("d", flat ? `M${p} ${bottom}v5` : `M${left} ${p}H${right}`);
      label.setAttribute("x", flat ? p : left - 10);
      label.setAttribute("y", flat ? bottom + 10 : p);
      label.setAttribute("dy", flat ? ".8em" : ".35em");
      label.setAttribute("text-anchor", flat ? "middle" : "end");
      label.textContent = (i * step / 10 ** exponent).toFixed(decimals).replace("-", "−");
      lines.append(line);
      labels.append(label);
    }
  };
  const redraw = () => {
    view.x = clamp(view.x, right - right * view.k, left - left * view.k);
    view.y = clamp(view.y, bottom - bottom * view.k, top - top * view.k);
    uses.forEach((element, k) => {
      element.setAttribute("x", (places[k][0] * view.k + view.x).toFixed(1));
      element.setAttribute("y", (places[k][1] * view.k + view.y).toFixed(1));
    });
    if (edges) edges.setAttribute("d", edgePlaces.map((p, k) =>
      (k % 4 ? k % 4 === 2 ? "L" : " " : "M") + (p * view.k + view[k % 2 ? "y" : "x"]).toFixed(1)).join(""));
    if (view.k === 1) first.forEach(([group, text]) => { group.innerHTML = text; });
    else { axis("x"); axis("y"); }
    plot.classList.toggle("far", view.k > 1);
    reset.disabled = view.k === 1;
    if (!tip.hidden && current >= 0) { if (visible(marks[current])) place(); else hide(); }
  };
  const zoom = (factor, x = (left + right) / 2, y = (top + bottom) / 2) => {
    const k = factor ? clamp(view.k * factor, 1, 60) : 1;
    view.x = x - (x - view.x) * k / view.k;
    view.y = y - (y - view.y) * k / view.k;
    view.k = k < 1.001 ? 1 : k;
    redraw();
  };
  const pinch = () => {
    const [a, b] = [...fingers.values()];
    const now = Math.hypot(a.x - b.x, a.y - b.y);
    if (spread) zoom(now / spread, (a.x + b.x) / 2, (a.y + b.y) / 2);
    spread = now;
  };
  plot.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== plot) return;
    event.preventDefault();
    const { x, y } = local(event);
    zoom(Math.exp(-clamp(event.deltaY, -200, 200) / (event.ctrlKey ? 100 : 400)), x, y);
  }, { passive: false });
  const bar = make("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
  const button = (text, label, act) => {
    const made = make("button", { type: "button", "aria-label": label }, text);
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  button("+", "Zoom in", () => zoom(1.5));
  button("−", "Zoom out", () => zoom(1 / 1.5));
  const reset = button("Reset", "Show everything", () => zoom(0));
  reset.disabled = true;
  whole.querySelector(".topline").append(bar);
};
all(".plot").forEach(figure);
})();
