/** The share of the roof with which a reader plans: `share.py` makes the controls, and the data say what is measured. */

import { filled } from "./template.js";

/** The words of a figure about bounds, or about a share of the roof where less than all of it is chosen. */
export function aboutShare({ says, data }, name, share, values = {}) {
  return filled(says[share < data.bound ? `${name} at a share` : name], { share, ...values });
}

/** What the button with the measured median does. */
export function takesMeasured({ measured }) {
  return { measured: (api) => api.set({ share: measured }) };
}
