/** One value of a reading, by its way into it: `battery.level`. */
export interface Member {
  readonly name: string;
  readonly text: string;
  /** Where it is a number that can be drawn. */
  readonly number?: number;
}

const mostMembers = 40;
const mostDepth = 4;
const longestName = 48;
const longestText = 160;

/**
 * Takes a reading apart, as far as a person would look at it. A device may send anything: what is nested too deep, too long
 * or too much is cut, and says so.
 */
export function toMembers(reading: unknown): readonly Member[] {
  const members: Member[] = [];
  const visit = (name: string, value: unknown, depth: number): void => {
    if (members.length >= mostMembers) return;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= mostDepth)
      members.push(toMember(name, value));
    else
      for (const [key, inner] of Object.entries(value))
        visit(name === '' ? key : `${name}.${key}`, inner, depth + 1);
  };
  visit('', reading, 0);
  return members;
}

function toMember(name: string, value: unknown): Member {
  const text =
    typeof value === 'string' ? value : typeof value === 'number' ? toNumberText(value) : toText(value);
  return {
    name: cut(name === '' ? 'value' : name, longestName),
    text: cut(text, longestText),
    ...(typeof value === 'number' && Number.isFinite(value) && { number: value }),
  };
}

function toText(value: unknown): string {
  // A long list is not written out to be cut.
  if (Array.isArray(value) && value.length > mostMembers) return `${value.length} items`;
  return JSON.stringify(value) ?? '';
}

/** As short as it can be read: six digits tell. */
export function toNumberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\p{Surrogate}$/u, '')}…`;
}
