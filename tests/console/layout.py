"""What is wrong with the layout of a page: overflows, clipped and cut words, weak or nameless parts."""

from __future__ import annotations

from tests.console.browser import Browser

WIDTHS = (400, 1280, 1920)
BETWEEN = (320, 700, 1000, 1120)  # where rows become lists: nothing overflows
SCHEMES = ("light", "dark")
# Roles of the accessibility tree whose nodes need a name.
NAMED = frozenset({
    "button", "link", "textbox", "combobox", "checkbox", "spinbutton", "searchbox", "slider",
    "treeitem", "tree", "dialog", "img", "image", "region", "navigation",
})  # fmt: skip
WORD_CHARS_MAX = 32  # a longer word may be wider than a narrow page

_PROBLEMS = """
const [longest] = arguments, problems = [];
const top_ = document.querySelector("dialog[open]") ?? document.body;
const page = document.documentElement.scrollWidth - innerWidth;
if (page > 0) problems.push(`the page is ${page} px too wide`);
const label = each => `<${each.tagName.toLowerCase()} class="${each.className}"> ${(each.textContent ?? "").trim().slice(0, 50)}`;
const isShown = each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const isClipped = each => getComputedStyle(each).clipPath !== "none";
for (const each of top_.querySelectorAll("*")) {
  if (!isShown(each) || each.closest("svg") || isClipped(each)) continue;
  const box = each.getBoundingClientRect(), style = getComputedStyle(each);
  const scrolls = each.parentElement.closest(".scroll");
  if (!scrolls && box.width && box.right > innerWidth + 0.5) problems.push(`beyond the right edge: ${label(each)}`);
  const cuts = ["hidden", "clip"].includes(style.overflowX) || each.matches("button, select, input:not([type=range])");
  if (cuts && each.tagName !== "DETAILS" && !each.matches(".time") && !each.disabled && each.value === undefined && each.scrollWidth > each.clientWidth + 1) problems.push(`clipped: ${label(each)}`);
}
for (const each of top_.querySelectorAll("button")) {
  if (/^(Abort|Delete|Discard|Drop|Remove|Restore)\\b/.test(each.textContent) && !each.matches(".danger")) problems.push(`looks harmless: ${label(each)}`);
}
for (const each of top_.querySelectorAll(".badge")) {
  if (["error", "warning", "info"].includes(each.textContent) && !each.matches(`.${each.textContent}`)) problems.push(`another colour: ${label(each)}`);
}
const rgb = text => text.match(/[\\d.]+/g).map(Number);
const light = colour => {
  const [r, g, b] = colour.slice(0, 3).map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const paperOf = each => {
  for (let on = each; on; on = on.parentElement) {
    const colour = rgb(getComputedStyle(on).backgroundColor);
    if (colour[3] !== 0) return colour;
  }
  return [255, 255, 255];
};
const texts = document.createTreeWalker(top_, NodeFilter.SHOW_TEXT), range = document.createRange();
for (let node = texts.nextNode(); node; node = texts.nextNode()) {
  const parent = node.parentElement;
  if (!node.data.trim() || !isShown(parent) || parent.closest("script, style, noscript, select, textarea, button:disabled, [hidden]") || isClipped(parent)) continue;
  for (const word of node.data.matchAll(/[\\p{L}\\p{N}]{2,}/gu)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const lines = new Set([...range.getClientRects()].filter(box => box.width > 0).map(box => Math.round(box.top)));
    if (lines.size > 1 && word[0].length <= longest) problems.push(`a word is cut: ${word[0]} in ${label(parent)}`);
  }
  const [low, high] = [light(rgb(getComputedStyle(parent).color)), light(paperOf(parent))].sort((a, b) => a - b);
  if ((high + 0.05) / (low + 0.05) < 4.5) problems.push(`weak: ${label(parent)}`);
}
return [...new Set(problems)];
"""


def problems(page: Browser) -> list[str]:
    """Return what is wrong with what the page shows now, in every width and scheme."""
    result = []
    try:
        for width in (*WIDTHS, *BETWEEN):
            page.resize(width, 900)
            for scheme in SCHEMES if width in WIDTHS else SCHEMES[:1]:
                page.scheme(scheme)
                wrong = page.run(_PROBLEMS, WORD_CHARS_MAX if width in WIDTHS else 0)
                result += [f"{width} px, {scheme}: {each}" for each in wrong]
    finally:
        page.scheme("light")
        page.resize(1280, 900)
    return result


def nameless(page: Browser) -> list[str]:
    """Return the roles of the nodes of the accessibility tree that lack their name."""
    nodes = page.devtools("Accessibility.getFullAXTree")["nodes"]
    return [
        node["role"]["value"]
        for node in nodes
        if not node["ignored"]
        and node["role"]["value"] in NAMED
        and not node.get("name", {}).get("value", "").strip()
    ]
