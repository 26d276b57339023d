/** Schemes whose addresses lead somewhere and run nothing. */
const schemes = /^(?:https?|mailto|tel):/i;

/** Harmless address that replaces one that might run a script. */
const nowhere = 'about:invalid';

/** An address that runs nothing: relative, or with one of a few schemes. */
export function toSafeUrl(value: unknown): string {
  const text = toText(value);
  // Before a slash, a question mark or a hash a colon ends a scheme, whatever stands before it.
  return /^[^/?#]*:/.test(text) && !schemes.test(text) ? nowhere : text;
}

/** An address that runs nothing, as one of a list: what would end it there is encoded. */
export function toSafeImage(value: unknown): string {
  return toSafeImagePart(toSafeUrl(value));
}

/** A part of an address that stays in it, in a list of addresses. */
export function toSafeImagePart(value: unknown): string {
  return toText(value).replace(/[\s,]/g, encodeURIComponent);
}

/** A value of a style: a number with its unit, a colour, a word. Anything else is none. */
export function toSafeStyle(value: unknown): string {
  const text = toText(value);
  return /^[-+.#%\w ]{0,100}$/.test(text) ? text : '';
}

/** JSON without a character that means something to HTML, so that it cannot end the script it stands in. */
export function toSafeJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
