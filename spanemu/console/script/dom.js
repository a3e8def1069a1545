// Elements, and what all pages show alike. Texts become text nodes: nothing here parses HTML.

function el(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

// A text in which lines may break behind the separators of long names.
const breakable = text => String(text).split(/(\S{25,})/).flatMap((part, place) => place % 2 ? part.split(/(?<=[/_.,(=[-])(?=[\w"'])/).flatMap((piece, at) => at ? [el("wbr"), piece] : [piece]) : [part]);

const button = (text, action, kind, props) => el("button", { type: "button", class: kind, onclick: action, ...props }, text);
const badge = (text, kind) => el("span", { class: `badge ${kind ?? ""}` }, breakable(text));
const labelled = (text, control) => el("label", {}, text, control);
const options = (choices, chosen) => choices.map(choice => {
  const [value, text] = Array.isArray(choice) ? choice : [choice, choice];
  return el("option", { value, selected: value === chosen }, text);
});
const choose = (choices, chosen, changed) => el("select", { onchange: event => changed?.(event.target.value) }, options(choices, chosen));
const empty = (title, ...more) => el("div", { class: "empty" }, el("p", {}, el("b", {}, title)), more.map(each => typeof each === "string" ? el("p", {}, each) : each));

// Names with values, without those that have none.
function facts(pairs) {
  const given = pairs.filter(([, value]) => value !== "" && value != null);
  return given.length ? el("dl", { class: "facts" }, given.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])) : null;
}

const WIDE_COLUMNS_MIN = 5;

// A table: `heads` are texts, or [text, "n"] for a column of numbers; on a narrow screen each row becomes a list.
function table(heads, rows, { caption, kind = "rows" } = {}) {
  const names = heads.map(head => Array.isArray(head) ? head : [head, ""]);
  return el("table", { class: heads.length >= WIDE_COLUMNS_MIN ? `${kind} wide` : kind },
    caption && el("caption", {}, caption),
    el("thead", {}, el("tr", {}, names.map(([name, type]) => el("th", { scope: "col", class: type }, name)))),
    el("tbody", {}, rows.map(cells => el("tr", {}, cells.map((cell, place) => {
      const [name, type] = names[place];
      return el("td", { class: type, "data-head": name }, cell);
    })))));
}

// `place` shows where in the text the error is.
function failure(error, place) {
  if (error instanceof ApiError) {
    return el("div", { class: "note error", role: "alert" }, el("p", {}, badge(error.status, "bad"), " ", breakable(error.message), error.positionText), place);
  }
  const text = error instanceof TypeError ? "The emulator does not answer. Is it still running?" : error.message;
  return el("div", { class: "note error", role: "alert" }, text);
}

// ------------------------------------------------------------------ numbers and times

const plural = (count, one, many = one + "s") => `${Number(count).toLocaleString("en")} ${Number(count) === 1 ? one : many}`;

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 0.001) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${(seconds * 1e3).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

// RFC 3339 without its fraction: "2026-11-23 13:40:00".
const moment = text => text ? text.slice(0, 19).replace("T", " ") : "";
const lastPart = name => (name ?? "").split("/").at(-1);

// ------------------------------------------------------------------ dialogs and messages

// Show a dialog, and return what `accept` returned when it was accepted; undefined when it was closed.
// An error of `accept` is shown in the dialog, which then stays open.
function ask(title, content, accept, { verb = "OK", kind = "primary", canCancel = true } = {}) {
  return new Promise(resolve => {
    let result;
    const said = el("div");
    const confirm = el("button", { type: "submit", class: kind }, verb);
    const form = el("form", {
      onkeydown: event => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        form.requestSubmit(confirm);
      },
      onsubmit: async event => {
        event.preventDefault();
        confirm.disabled = true;
        try {
          result = await accept();
          dialog.close();
        } catch (error) {
          said.replaceChildren(failure(error, error.place));
          said.scrollIntoView({ block: "nearest" });
        } finally {
          confirm.disabled = false;
        }
      },
    }, el("h2", { id: "dialog-title" }, breakable(title)), content, said,
    el("div", { class: "tools end verbs" }, canCancel && button("Cancel", () => dialog.close()), confirm));
    const dialog = el("dialog", { "aria-labelledby": "dialog-title", onclose: () => { dialog.remove(); resolve(result); } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

function tell(text, kind = "good") {
  const message = el("p", { class: kind }, text);
  document.getElementById("messages").append(message);
  setTimeout(() => message.remove(), 5000);
}

// Offer a text as a file.
function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
