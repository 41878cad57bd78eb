export { axisBottom, axisLeft, axisRight } from "d3-axis";
export { scaleBand, scaleLinear, scaleLog } from "d3-scale";
export { select } from "d3-selection";
export { line } from "d3-shape";
