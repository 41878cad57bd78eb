/** Videos: each poster becomes a button, and only pressing it loads the player and asks another host. */

import "../figures/vendor/lite-youtube-embed.js";

const LiteYouTube = customElements.get("lite-youtube");

// By default the element opens connections to four hosts when a pointer passes over it. Ours are opened by play.
LiteYouTube.preconnected = true;

class LessonVideo extends LiteYouTube {
  connectedCallback() {
    super.connectedCallback();
    // On phones and Apple's browsers the element would load YouTube's own script, and a player that sets cookies.
    this.needsYTApi = false;
  }

  // The page has a plain link for readers without scripts.
  addNoscriptIframe() {}

  createBasicIframe() {
    const frame = super.createBasicIframe();
    frame.title = this.dataset.name;
    return frame;
  }
}
customElements.define("lesson-video", LessonVideo);

for (const poster of document.querySelectorAll("a.video-poster")) {
  const { video, title } = poster.dataset;
  const player = document.createElement("lesson-video");
  player.setAttribute("videoid", video);
  player.setAttribute("playlabel", `Play: ${title}`);
  player.dataset.name = title;
  // A poster that is given is not fetched from YouTube.
  player.style.backgroundImage = `url("${poster.querySelector("img").src}")`;
  poster.replaceWith(player);
}
