"use strict";
// Tooltips over plots. The page is complete without them.
for (const area of document.querySelectorAll("[data-tips]")) {
  let tips = null, cross = null, box = null, at = -1;
  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const hide = () => {
    if (cross) { cross.remove(); box.remove(); }
    cross = box = null;
    at = -1;
  };
  const show = (next) => {
    if (next === at && box) return;
    hide();
    at = next;
    const [place, title, ...texts] = tips.points[at];
    cross = element("div", "cross");
    cross.style.left = place * 100 + "%";
    box = element("div", "tip");
    box.append(element("b", "", title));
    tips.names.forEach((name, row) => {
      const line = element("div");
      line.append(element("span", "", name), element("span", "", texts[row]));
      box.append(line);
    });
    area.append(cross, box);
    const width = area.clientWidth, right = place * width + 12;
    const left = right + box.offsetWidth > width ? place * width - 12 - box.offsetWidth : right;
    box.style.left = Math.max(Math.min(left, width - box.offsetWidth), -40) + "px";
  };
  const load = () => {
    if (!tips) {
      const [names, ...points] = area.dataset.tips.split("\n").map((line) => line.split("\t"));
      tips = { names, points: points.map(([place, ...cells]) => [Number(place), ...cells]) };
    }
    return tips.points.length > 0;
  };
  area.addEventListener("pointermove", (event) => {
    if (!load()) return;
    const bounds = area.getBoundingClientRect();
    const place = (event.clientX - bounds.left) / bounds.width;
    let nearest = 0;
    tips.points.forEach((point, index) => {
      if (Math.abs(point[0] - place) < Math.abs(tips.points[nearest][0] - place)) nearest = index;
    });
    show(nearest);
  });
  area.addEventListener("pointerleave", hide);
  area.addEventListener("blur", hide);
  area.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || !load()) return;
    event.preventDefault();
    show(Math.max(0, Math.min(tips.points.length - 1, at < 0 ? 0 : at + step)));
  });
}
// A link to a folded conversation unfolds it.
const unfold = () => {
  const target = location.hash.startsWith("#conversation-") && document.getElementById(location.hash.slice(1));
  if (target) { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", unfold);
unfold();
