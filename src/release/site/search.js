// Finds the sections of pages that have all words. `sections` is in search_index.js: { location, title, page, text }.
"use strict";

const MOST = 40;
const words = document.getElementById("words");
const count = document.getElementById("count");
const results = document.getElementById("results");

// A word in a title counts as ten in the text; 0 if a word is missing.
function weigh(section, sought) {
  let weight = 0;
  for (const word of sought) {
    const inTitle = section.title.toLowerCase().includes(word);
    const inText = section.text.toLowerCase().split(word).length - 1;
    if (!inTitle && inText === 0) return 0;
    weight += (inTitle ? 10 : 0) + Math.min(inText, 5);
  }
  return weight;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return (at > 0 ? "…" : "") + text.slice(at, at + 200) + (at + 200 < text.length ? "…" : "");
}

function show(section, word) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const text = document.createElement("p");
  link.href = section.location || "index.html";
  link.textContent = section.title + (section.title === section.page ? "" : ` · ${section.page}`);
  text.textContent = excerpt(section.text, word);
  item.append(link, text);
  return item;
}

function search() {
  const sought = words.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
  const found = sections
    .map((section) => ({ section, weight: sought.length > 0 ? weigh(section, sought) : 0 }))
    .filter((match) => match.weight > 0)
    .sort((a, b) => b.weight - a.weight);
  results.replaceChildren(...found.slice(0, MOST).map((match) => show(match.section, sought[0])));
  count.textContent = sought.length === 0 ? "" : `${found.length} found` + (found.length > MOST ? `, ${MOST} shown` : "");
}

words.addEventListener("input", search);
words.value = new URLSearchParams(location.search).get("q") || "";
search();
