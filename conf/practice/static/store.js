/**
 * What the reader did, kept in this browser and nowhere else.
 *
 * One store is one key of localStorage, "roofline:<name>", holding {version, value} as JSON. Every change reads the key again before it
 * writes, so that two tabs add to each other. What cannot be read is moved aside, never deleted; a browser that allows no storage, or has
 * no room left, still works until the page is closed. In all three cases the page can say so: see problem() and inWords().
 */

const PREFIX = "roofline:";

const SENTENCES = {
  forbidden: "This browser does not let the page keep anything, so what you do here is lost when you close the page.",
  full: "This browser has no room left for this site, so what you do now is lost when you close the page.",
  corrupt: "What this browser had kept for this page could not be read. It was set aside, not deleted, and the page starts afresh.",
};

/** A sentence for the reader about what problem() returned; "" for null. */
export const inWords = (problem) => SENTENCES[problem] ?? "";

/** The browser's storage, or null where even asking for it is forbidden. */
function storage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

const copy = (value) => JSON.parse(JSON.stringify(value));

class Store {
  #key;
  #version;
  #empty;
  #check;
  #merge;
  #upgrade;
  #given; // whether a way to merge was given
  #value; // the latest known; the truth where storage fails
  #own; // what this page wrote last
  #problem = null;
  #inMemory = false; // this page holds what storage does not
  #listeners = new Set();

  constructor(name, { version, empty, check, merge, upgrade }) {
    this.#key = PREFIX + name;
    this.#version = version;
    this.#empty = empty;
    this.#check = check ?? (() => true);
    this.#given = merge !== undefined;
    this.#merge = merge ?? ((mine, theirs) => ({ ...mine, ...theirs }));
    this.#upgrade = upgrade ?? (() => undefined);
    this.#value = copy(empty);
    this.#value = this.#read();
    addEventListener("storage", (event) => {
      if (event.key === this.#key || event.key === null) this.#hear(event.key === null || event.newValue === null);
    });
    addEventListener("pageshow", (event) => event.persisted && this.#hear(false)); // a page that slept heard nothing
  }

  /** The value, as every tab knows it. Change it by update() only. */
  get() {
    this.#value = this.#read();
    return copy(this.#value);
  }

  /** Change the value: fn gets the latest and returns the new one (or changes it in place). Returns the new value. */
  update(fn) {
    const before = this.get();
    this.#value = copy(fn(before) ?? before);
    this.#write();
    this.#tell();
    return copy(this.#value);
  }

  /** Call fn(value) after every change, in this tab or another. Returns a function that ends this. */
  subscribe(fn) {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  /** What is wrong: null, "forbidden", "full" or "corrupt". */
  problem() {
    return this.#problem;
  }

  /** The text that could not be read and was set aside, or null. */
  corruptText() {
    try {
      return storage()?.getItem(`${this.#key}:corrupt`) ?? null;
    } catch {
      return null;
    }
  }

  /** Delete what was set aside, once the reader has seen to it. */
  discardCorrupt() {
    try {
      for (const key of this.#aside()) storage().removeItem(key);
    } catch {
      // where storage is forbidden there is nothing to delete
    }
    if (this.#problem === "corrupt" && !this.#inMemory) this.#problem = null;
    this.#tell();
  }

  /** Everything, as the text of a file. */
  exportText() {
    return `${JSON.stringify({ store: this.#key, version: this.#version, value: this.get() }, null, 1)}\n`;
  }

  /** Take in what exportText() gave, here or elsewhere. Returns null, or a sentence that says why nothing was changed. */
  importText(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      return "This file is not one that this page saved: it is not JSON. Nothing was changed.";
    }
    if (file?.store !== this.#key) return "This file is not one that this page saved. Nothing was changed.";
    if (file.version > this.#version) return "This file was saved by a newer version of this page. Nothing was changed.";
    const value = this.#accept(file);
    if (value === undefined) return "This file was damaged after it was saved. Nothing was changed.";
    this.update((mine) => this.#merge(mine, value));
    return null;
  }

  /** Forget everything, also what was set aside. */
  clear() {
    this.#value = copy(this.#empty);
    this.#own = undefined;
    this.#problem = storage() ? null : "forbidden";
    this.#inMemory = !storage();
    try {
      storage()?.removeItem(this.#key);
      for (const key of this.#aside()) storage().removeItem(key);
    } catch {
      this.#problem = "forbidden";
      this.#inMemory = true;
    }
    this.#tell();
  }

  /** The value of {version, value}, brought up to this version; undefined if it is not one. */
  #accept(kept) {
    try {
      const value = kept.version === this.#version ? kept.value : this.#upgrade(kept.value, kept.version);
      return value !== undefined && value !== null && this.#check(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** The value in storage; what this page holds itself, where storage has less. */
  #read() {
    if (this.#inMemory) return this.#value;
    let text;
    try {
      const place = storage();
      if (!place) throw new Error("forbidden");
      text = place.getItem(this.#key);
    } catch {
      this.#problem = "forbidden";
      this.#inMemory = true;
      return this.#value;
    }
    if (text === null) return copy(this.#empty);
    let value;
    try {
      value = this.#accept(JSON.parse(text));
    } catch {
      value = undefined;
    }
    if (value !== undefined) return value;
    this.#problem = "corrupt";
    this.#setAside(text);
    return this.#value;
  }

  /** The keys under which unreadable texts are kept: ":corrupt", then ":corrupt:2" and so on. */
  #aside() {
    const first = `${this.#key}:corrupt`;
    const place = storage();
    return Array.from({ length: place.length }, (_, i) => place.key(i)).filter((key) => key === first || key.startsWith(`${first}:`));
  }

  #setAside(text) {
    try {
      const kept = this.#aside();
      if (!kept.some((key) => storage().getItem(key) === text)) {
        storage().setItem(`${this.#key}:corrupt${kept.length ? `:${kept.length + 1}` : ""}`, text);
      }
      storage().removeItem(this.#key);
    } catch {
      this.#inMemory = true; // no room for a second copy: leave the only one where it is
    }
  }

  #write() {
    if (this.#problem === "forbidden" || (this.#problem === "corrupt" && this.#inMemory)) return;
    try {
      storage().setItem(this.#key, JSON.stringify({ version: this.#version, value: this.#value }));
      this.#inMemory = false;
      this.#own = this.#value;
      if (this.#problem === "full") this.#problem = null;
    } catch {
      this.#problem = "full";
      this.#inMemory = true;
    }
  }

  /** Another tab wrote. Where two wrote at the same moment, one overwrote the other: a store that can merge puts that right. */
  #hear(cleared) {
    const mine = this.#own ?? this.#value;
    if (cleared) {
      this.#value = copy(this.#empty);
      this.#own = undefined;
      this.#inMemory = this.#problem === "forbidden";
    } else {
      const held = this.#inMemory;
      if (held && this.#problem !== "full") return;
      this.#inMemory = false;
      const theirs = this.#read();
      this.#value = this.#given ? copy(this.#merge(copy(mine), copy(theirs))) : held ? mine : theirs;
      if (held || JSON.stringify(this.#value) !== JSON.stringify(theirs)) this.#write();
    }
    this.#tell();
  }

  #tell() {
    for (const fn of this.#listeners) fn(copy(this.#value));
  }
}

/**
 * Open a store.
 *
 * @param {string} name - the key is "roofline:" and this name
 * @param {object} options
 * @param {number} options.version - of the value's shape
 * @param {object} options.empty - the value before anything was done
 * @param {(value: object) => boolean} [options.check] - is this a value of the right shape?
 * @param {(mine: object, theirs: object) => object} [options.merge] - one value with all that both hold, whichever comes first;
 *   used for files and between tabs. Without it a file's keys replace the store's.
 * @param {(value: object, version: number) => object | undefined} [options.upgrade] - a value of another version as one of this version
 */
export const openStore = (name, options) => new Store(name, options);
