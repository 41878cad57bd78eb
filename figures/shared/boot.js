/** Make the figures of a page interactive, each when it comes near the screen. One that fails stays as it was built. */

async function start(panel) {
  try {
    const { mount } = await import(`../${panel.dataset.figure}/figure.js`);
    mount(panel);
  } catch (error) {
    // The static picture, its caption and its table are all still there; only the controls would do nothing.
    panel.hidden = true;
    const hint = panel.closest(".cell")?.nextElementSibling;
    if (hint?.matches(".js-only")) hint.hidden = true;
    // Only developers see it, so it is not among the sentences that a figure's description holds.
    console.info(`The figure ${panel.dataset.label} stays as it is: ${error.message}`);
  }
}

document.documentElement.dataset.figures = "";
const panels = document.querySelectorAll(".figure-panel");
if ("IntersectionObserver" in window) {
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      start(target);
    }
  }, { rootMargin: "600px" });
  for (const panel of panels) {
    const linked = location.hash.startsWith(`#${panel.dataset.label}?`);
    if (linked) start(panel);
    else near.observe(panel);
  }
} else {
  for (const panel of panels) start(panel);
}
