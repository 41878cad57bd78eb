export { createEmptyCard, fsrs } from "ts-fsrs";
