/** Shorter words differ by a letter and mean something else: `to` and `too`, `from` and `form`. */
const leastForOneLetter = 6;

/**
 * Whether one name is the other one with a slip of the finger: written with other capitals or dashes, a letter doubled,
 * two letters swapped, or, in a long name, one letter wrong. A plural is a word of its own, and so is a name that differs
 * in a digit.
 */
export function isSlip(name: string, meant: string): boolean {
  if (name === meant) return false;
  const [a, b] = [plain(name), plain(meant)];
  if (a === b) return true;
  if (`${a}s` === b || a === `${b}s` || withoutDigits(a) === withoutDigits(b)) return false;
  return (
    (single(a) === single(b) && Math.abs(a.length - b.length) === 1) ||
    (Math.min(a.length, b.length) >= leastForOneLetter && isOneLetterOff(a, b))
  );
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function withoutDigits(name: string): string {
  return name.replace(/\d/g, '');
}

/** Each letter once where it is repeated: `idd` is `id`. */
function single(name: string): string {
  return name.replace(/(.)\1+/g, '$1');
}

/** One letter more, less or another, or two neighbours swapped. */
function isOneLetterOff(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
