import { closeList, comma, openList, openObject, quote, stringEnd } from '../text/json-marks.ts';

/** Characters of a text that is read at once: 3 ms where it is full of names, 0.2 ms as most bodies are (measured). */
const wholeLength = 32_768;

/** Characters of a piece of one that is longer, less than 1 ms. */
const pieceLength = 8_192;

/** A list or an object that is not at its end. */
interface Open {
  readonly isList: boolean;
  /** Index behind its bracket. */
  readonly start: number;
  /** What was taken of it; undefined where nothing was. */
  value: unknown[] | Record<string, unknown> | undefined;
  /** Where its members begin that are not taken yet. */
  from: number;
  /** Where the member begins that is being looked at. */
  member: number;
  /** That member was taken: nothing but a comma or the end may come. */
  isTaken: boolean;
}

/**
 * Reads a JSON text as `JSON.parse` does, to the same value, a piece at a time: a text of 1 MiB that is full of names takes 50 ms
 * at once. A short one is read at once.
 *
 * @param look is shown the outermost object as far as it is read, between two pieces; what it throws ends the reading
 * @throws {SyntaxError} which does not say where
 */
export function* jsonPieces(text: string, look?: (members: object) => void): Generator<void, unknown> {
  if (text.length <= wholeLength) return JSON.parse(text) as unknown;
  const mark = /["[\]{},]/g;
  const open: Open[] = [];
  /** Where what is taken ends. */
  let end = 0;
  while (mark.test(text)) {
    const at = mark.lastIndex - 1;
    const char = text.charCodeAt(at);
    if (char === quote) {
      mark.lastIndex = stringEnd(text, at) + 1;
      continue;
    }
    if (char === openList || char === openObject) {
      open.push(opened(char === openList, at + 1));
      continue;
    }
    const inner = open.at(-1);
    if (!inner) throw malformed();
    if (char !== comma) {
      open.pop();
      if (inner.value === undefined) continue;
      if (inner.isList !== (char === closeList)) throw malformed();
      takeMembers(text, inner, at);
      end = at + 1;
      const outer = open.at(-1);
      if (!outer) {
        if (!isBlank(text.slice(end))) throw malformed();
        return inner.value;
      }
      outer.from = end;
      outer.isTaken = true;
      continue;
    }
    if (inner.isTaken || at - end >= pieceLength) {
      const isPiece = !inner.isTaken;
      for (const [depth, one] of open.entries())
        if (one.value === undefined) begin(text, open[depth - 1], one);
      takeMembers(text, inner, at);
      inner.from = at + 1;
      inner.isTaken = false;
      end = at + 1;
      if (isPiece) {
        const outermost = open[0];
        if (look && outermost?.isList === false && outermost.value) look(outermost.value);
        yield;
      }
    }
    inner.member = at + 1;
  }
  if (end > 0) throw malformed();
  return JSON.parse(text) as unknown;
}

function opened(isList: boolean, start: number): Open {
  return { isList, start, value: undefined, from: start, member: start, isTaken: false };
}

/** Takes what stands before a container, and puts it where it belongs. */
function begin(text: string, outer: Open | undefined, one: Open): void {
  one.value = one.isList ? [] : {};
  const before = text.slice(outer?.member ?? 0, one.start - 1);
  if (!outer) {
    if (!isBlank(before)) throw malformed();
    return;
  }
  if (outer.isTaken) throw malformed();
  if (outer.member > outer.from) takeMembers(text, outer, outer.member - 1);
  // What is no name, or one too many, is none in front of a list either.
  const [name = ''] = Object.keys(parseMembers(outer, `${before}[]`));
  put(outer.value, name, one.value);
}

/** Takes the members of a container that are left up to a comma or its end. */
function takeMembers(text: string, one: Open, to: number): void {
  const members = text.slice(one.from, to);
  if (one.isTaken) {
    if (!isBlank(members)) throw malformed();
    return;
  }
  const entries = Object.entries(parseMembers(one, members));
  // A comma in front of nothing.
  if (entries.length === 0) throw malformed();
  for (const [name, member] of entries) put(one.value, name, member);
}

function parseMembers({ isList }: Open, members: string): object {
  return JSON.parse(isList ? `[${members}]` : `{${members}}`) as object;
}

/** As `JSON.parse` does: the last of a name counts, and `__proto__` is a name as any other. */
function put(value: Open['value'], name: string, member: unknown): void {
  if (Array.isArray(value)) value.push(member);
  else if (name === '__proto__')
    Object.defineProperty(value, name, {
      ...{ value: member, enumerable: true, configurable: true, writable: true },
    });
  else if (value) value[name] = member;
}

function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

function malformed(): SyntaxError {
  return new SyntaxError('the text is not JSON');
}
