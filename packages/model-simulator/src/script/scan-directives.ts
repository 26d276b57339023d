/** One `[[verb rest]]` as it stands in a text. */
export interface ScannedDirective {
  readonly verb: string;
  readonly rest: string;
  /** Whether an `&` joins it to the one before, into the same turn. */
  readonly joined: boolean;
}

/** What a text says, and the directives in it. */
export interface ScannedText {
  readonly directives: readonly ScannedDirective[];
  /** The text without them. */
  readonly plain: string;
}

/** Verbs whose rest is free text: it ends at the first `]]`, and quotes and brackets mean nothing in it. */
const textVerbs = new Set(['say', 'thinking', 'refuse', 'pause', 'handoff']);

/**
 * Finds the directives of a text. Brackets whose first word is none of `verbs` are ordinary text.
 *
 * In a directive with values the end is the first `]]` outside strings, brackets and braces, so that the values may
 * hold lists, and directives for somebody else in their strings.
 */
export function scanDirectives(text: string, verbs: ReadonlySet<string>): ScannedText {
  if (!text.includes('[[')) return { directives: [], plain: text };
  const directives: ScannedDirective[] = [];
  let plain = '';
  let at = 0;
  let joined = false;
  for (let start = text.indexOf('[['); start >= 0; start = text.indexOf('[[', start)) {
    const verb = /^[a-z]+(?=\s|\]\])/.exec(text.slice(start + 2, start + 40))?.[0];
    const end = verb === undefined || !verbs.has(verb) ? -1 : endOf(text, start + 2, textVerbs.has(verb));
    if (verb === undefined || end < 0) {
      start += 2;
      continue;
    }
    const between = text.slice(at, start);
    joined = directives.length > 0 && between.trim() === '&';
    if (!joined) plain += between;
    directives.push({ verb, rest: text.slice(start + 2 + verb.length, end).trim(), joined });
    at = start = end + 2;
  }
  return { directives, plain: (plain + text.slice(at)).replaceAll(/[ \t]{2,}/g, ' ').trim() };
}

function endOf(text: string, from: number, free: boolean): number {
  if (free) return text.indexOf(']]', from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === ']') {
      if (depth === 0) return text[at + 1] === ']' ? at : -1;
      depth--;
    }
  }
  return -1;
}

/** Where the string that opens at `start` closes, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
