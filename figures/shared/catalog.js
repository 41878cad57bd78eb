/** The devices and formats of the catalog, as figures need them. */

import * as model from "../model.js";
import { data, says } from "./sentences.js";
import { filled } from "./template.js";

const { bytes, devices, kernels, models } = model;

export function deviceOf(name) {
  return devices.find((device) => device.name === name);
}

/** The widths of a model, by its name. */
export function widthsOf(name) {
  return models.find((one) => one.name === name);
}

/** Peak and bandwidth of a device for a format, as the model's functions take them; null where it has no such peak. */
export function roofOf(name, format) {
  const { peaks, bandwidth } = deviceOf(name);
  return format in peaks ? { peak: peaks[format], bandwidth } : null;
}

/** The format in which something is stored: one of its own, or that of the arithmetic. */
export function storedIn(stored, format) {
  return stored === data.same ? format : stored;
}

/** Bytes per element of a format. */
export function bytesOf(format) {
  return bytes[format];
}

/**
 * Return the state with a format that the device has. Formats that it lacks cannot be chosen; where the chosen one is
 * among them, bf16, fp16 or else the device's first takes its place, and the figure says so. `change` is what a
 * figure's `adjust` gets, `name` the name of the format's control.
 */
export function keepFormat(state, change, name = "format") {
  const { peaks } = deviceOf(state.device);
  const select = change.select(name);
  for (const option of select.options) option.disabled = !(option.value in peaks);
  if (state.format in peaks) return state;
  const format = ["bf16", "fp16"].find((one) => one in peaks) ?? [...select.options].find((option) => !option.disabled).value;
  change.note(filled(says["format changed"], { ...state, instead: format }));
  return { ...state, format };
}

/** A roof at a share of both of its limits, in percent: what code may have of it that does not reach all of it. */
export function derated({ peak, bandwidth }, percent) {
  const share = percent / 100;
  return { peak: peak * share, bandwidth: bandwidth * share };
}

/** FLOPs and bytes of a kernel of the package with all its tensors in one format; sizes that are left out take its defaults. */
export function costOf(name, sizes, format) {
  const { formats, defaults, flops, nbytes } = kernels[name];
  const all = { ...defaults, ...sizes, ...Object.fromEntries(formats.map((one) => [one, bytesOf(format)])) };
  return { flops: flops(all), nbytes: nbytes(all) };
}

/** What a roof allows a kernel of so many FLOPs and bytes, by the package's own formulas. */
export function boundOf({ flops, nbytes }, roof) {
  const cost = { flops, nbytes, ...roof };
  return {
    flops,
    nbytes,
    intensity: model.intensity(cost),
    compute_time: model.compute_time(cost),
    memory_time: model.memory_time(cost),
    time: model.time(cost),
    attainable: model.attainable(cost),
    share: model.fraction_of_peak(cost),
    computeBound: model.at_or_above_ridge(cost),
  };
}
