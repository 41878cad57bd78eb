export { scaleLinear, scaleLog } from "d3-scale";
export { line } from "d3-shape";
