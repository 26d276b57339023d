/** One value of a reading, by its way into it: `battery.level`. */
export interface ReadingMember {
  readonly name: string;
  readonly text: string;
  /** Where it can be drawn. */
  readonly number?: number;
}

const mostMembers = 40;
const mostDepth = 4;
const longestName = 48;
const longestText = 160;

/** Takes a reading apart, as far as a person would look at it. A device may send anything: the rest is cut. */
export function toReadingMembers(reading: unknown): readonly ReadingMember[] {
  const members: ReadingMember[] = [];
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

/** As short as it can be read: six digits tell. */
export function toNumberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function toMember(name: string, value: unknown): ReadingMember {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  const text = typeof value === 'string' ? value : isNumber ? toNumberText(value) : toText(value);
  return {
    name: cut(name === '' ? 'value' : name, longestName),
    text: cut(text, longestText),
    ...(isNumber && { number: value }),
  };
}

function toText(value: unknown): string {
  // A long list is not written out to be cut.
  if (Array.isArray(value) && value.length > mostMembers) return `${value.length} items`;
  return JSON.stringify(value) ?? '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
