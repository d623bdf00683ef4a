(function () {
  "use strict";
  var search = document.getElementById("search"), found = document.getElementById("found");
  var all = document.getElementById("all");
  var filters = Array.prototype.slice.call(document.querySelectorAll("[aria-pressed]"));
  var waits = Array.prototype.slice.call(document.querySelectorAll(".w"));
  var texts = [];

  function textOf(position) {
    if (texts[position] === undefined) texts[position] = waits[position].textContent.toLowerCase();
    return texts[position];
  }

  function isPressed(button) { return button.getAttribute("aria-pressed") === "true"; }

  function show() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), count = 0;
    var ends = filters.filter(isPressed).map(function (button) { return button.dataset.end; });
    waits.forEach(function (wait, position) {
      var fits = (!ends.length || ends.indexOf(wait.dataset.end) >= 0) &&
        words.every(function (word) { return textOf(position).indexOf(word) >= 0; });
      wait.hidden = !fits;
      count += fits ? 1 : 0;
    });
    found.textContent = words.length || ends.length ? count + " of " + waits.length : "";
  }

  function visible() { return waits.filter(function (wait) { return !wait.hidden; }); }

  function step(by) {
    var list = visible(), current = document.activeElement && document.activeElement.closest(".w");
    var next = list[current ? list.indexOf(current) + by : by > 0 ? 0 : list.length - 1];
    if (next) next.firstElementChild.focus();
  }

  function reset() {
    search.value = "";
    filters.forEach(function (button) { button.setAttribute("aria-pressed", "false"); });
    show();
  }

  function openNamed() {
    var wait = /^#w\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!wait) return;
    wait.open = true;
    wait.scrollIntoView();
  }

  filters.forEach(function (button) {
    button.addEventListener("click", function () {
      button.setAttribute("aria-pressed", String(!isPressed(button)));
      show();
    });
  });
  search.addEventListener("input", show);
  all.addEventListener("click", function () {
    var list = visible(), opens = !list.every(function (wait) { return wait.open; });
    list.forEach(function (wait) { wait.open = opens; });
    all.textContent = opens ? "Close all" : "Open all";
  });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return reset();
    if (event.target === search) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (event.key === "j") {
      step(1);
    } else if (event.key === "k") {
      step(-1);
    }
  });
  addEventListener("hashchange", openNamed);
  document.getElementById("keys").hidden = false;
  if (waits.length > 1) document.getElementById("tools").hidden = false;
  if (waits.length === 1) waits[0].open = true;
  openNamed();
})();
