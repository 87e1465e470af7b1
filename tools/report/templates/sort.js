document.querySelectorAll("table.sortable th").forEach(function (head) {
  head.querySelector("button").addEventListener("click", function () {
    var table = head.closest("table"), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(head.parentNode.children, head);
    var down = head.getAttribute("aria-sort") === "ascending";
    var key = function (row) { return row.children[column].getAttribute("data-v"); };
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (a, b) {
      var x = key(a), y = key(b), order = isNaN(x) || isNaN(y) ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
      return down ? -order : order;
    });
    table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.forEach(function (row) { body.appendChild(row); });
  });
});
