"use strict";
const body = document.querySelector("tbody");
const rows = Array.from(body.rows);
const shown = document.getElementById("shown");
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
document.getElementById("search").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let number = 0;
  rows.forEach((row) => {
    row.hidden = !words.every((word) => texts.get(row).includes(word));
    number += row.hidden ? 0 : 1;
  });
  shown.textContent = number.toLocaleString("en");
});
document.querySelectorAll("th button").forEach((button) => {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const descending = heading.getAttribute("aria-sort") === "ascending";
    document.querySelectorAll("thead th").forEach((each) => each.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const key = (row) => row.cells[heading.cellIndex].dataset.value ?? row.cells[heading.cellIndex].textContent.trim();
    const numeric = heading.dataset.kind === "number";
    rows.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a === "" || b === "") return (a === "") - (b === "");
      const order = numeric ? a - b : a.localeCompare(b, "en", { numeric: true });
      return descending ? -order : order;
    });
    body.append(...rows);
  });
});
