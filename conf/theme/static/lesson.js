/** Small comforts of every page: boxes that scroll can be reached by keyboard, and menus close as readers expect. */
// A plain deferred script: a module would not load in a site that is opened from disk.
{
  const root = document.documentElement;
  const SCROLLERS = ".math-scroll, .table-scroll, .pst-scrollable-table-container, .cell_output > .output, figure.drawing";

  /** A box that scrolls needs a place in the tab order and a name; one that fits should have neither. */
  function updateScrollers() {
    for (const box of document.querySelectorAll(SCROLLERS)) {
      if (box.scrollWidth > box.clientWidth + 1) {
        box.tabIndex = 0;
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", `${box.dataset.name ?? "Table"}, scrolls sideways`);
      } else if (box.getAttribute("role") === "group") {
        box.removeAttribute("tabindex");
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  }

  /** The theme does the same for code that scrolls, but only once a page has been idle for a while. */
  function updateCode() {
    for (const code of document.querySelectorAll("pre")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
  }

  /** A formula in a line cannot break by itself; one wider than its column scrolls instead of widening the page. */
  function updateInlineMaths() {
    for (const math of document.querySelectorAll("span.math > math")) {
      const column = math.closest("p, li, dd, dt, td, th, figcaption, div");
      const holder = math.parentElement;
      if (!column || column.clientWidth === 0) continue;
      const wide = math.getBoundingClientRect().width > column.clientWidth + 1;
      if (wide === holder.classList.contains("math-scroll")) continue;
      holder.classList.toggle("math-scroll", wide);
      if (wide) {
        holder.dataset.name = "Formula";
      } else {
        holder.removeAttribute("tabindex");
        holder.removeAttribute("role");
        holder.removeAttribute("aria-label");
      }
    }
  }

  let pending = 0;
  function update() {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => {
      updateInlineMaths();
      updateScrollers();
      updateCode();
    });
  }

  // Modules do not load from disk, nor in every browser. Controls that do nothing are worse than none.
  addEventListener("load", () => {
    if (!("figures" in root.dataset)) for (const panel of document.querySelectorAll(".figure-panel")) panel.hidden = true;
  });

  update();
  addEventListener("load", update);
  addEventListener("resize", update);
  document.fonts?.ready.then(update);
  document.addEventListener("toggle", update, true); // what a <details> hid had no width

  // Menus: one open at a time; Escape, a choice or a press elsewhere closes it.
  const menus = [...document.querySelectorAll("details.lesson-menu")];
  const close = (menu) => { menu.open = false; };
  addEventListener("pointerdown", (event) => menus.filter((menu) => !menu.contains(event.target)).forEach(close));
  addEventListener("focusin", (event) => menus.filter((menu) => !menu.contains(event.target)).forEach(close));
  for (const menu of menus) {
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      close(menu);
      menu.querySelector("summary").focus();
    });
    menu.querySelector("ul").addEventListener("click", () => close(menu));
  }

  // The theme's script shows the chosen colour mode only to the eye; tell screen readers, too.
  const modes = [...document.querySelectorAll(".theme-change-button")];
  function sayMode() {
    const chosen = document.documentElement.dataset.mode || "auto";
    for (const button of modes) button.setAttribute("aria-pressed", String(button.dataset.mode === chosen));
  }
  sayMode();
  new MutationObserver(sayMode).observe(document.documentElement, { attributeFilter: ["data-mode"] });

  // Paper is light, whatever the screen is.
  let onScreen = root.dataset.theme;
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => { root.dataset.theme = onScreen; });

  // Maths copies as its TeX: left to itself, a browser puts each symbol on a line of its own.
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!event.clipboardData || selection.rangeCount === 0) return;
    const copied = document.createElement("div");
    copied.append(selection.getRangeAt(0).cloneContents());
    const formulas = copied.querySelectorAll("[data-tex]");
    if (formulas.length === 0) return;
    const html = copied.innerHTML;
    for (const formula of formulas) {
      const mark = formula.localName === "div" ? "$$" : "$";
      formula.replaceWith(...(mark === "$$" ? [document.createElement("br")] : []), `${mark}${formula.dataset.tex}${mark}`);
    }
    copied.className = "visually-hidden";
    document.body.append(copied); // innerText needs layout to know where lines end
    event.clipboardData.setData("text/plain", copied.innerText.replace(/\n{3,}/g, "\n\n").trim());
    event.clipboardData.setData("text/html", html);
    copied.remove();
    event.preventDefault();
  });

  // On the search page, keep the page's buttons out of the excerpts that Sphinx cuts from the results.
  if (typeof Search !== "undefined") {
    const toText = Search.htmlToText;
    Search.htmlToText = (html, anchor) => {
      const page = new DOMParser().parseFromString(html, "text/html");
      const around = ".bd-header-article, .bd-sidebar-secondary, .prev-next-footer, .bd-footer-content";
      for (const part of page.querySelectorAll(around)) part.remove();
      return toText(page.documentElement.outerHTML, anchor);
    };
  }
}
