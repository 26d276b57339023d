/** Rows from the first to before the last. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Rows beyond what is seen, so that a quick wheel finds them there. */
const beyond = 8;

/** Which rows of a long list are worth having, by how far it is scrolled. */
export function windowOf(
  count: number,
  {
    scrolled,
    height,
    rowHeight,
  }: { readonly scrolled: number; readonly height: number; readonly rowHeight: number },
): RowWindow {
  const first = Math.max(0, Math.min(Math.floor(scrolled / rowHeight), count - 1) - beyond);
  const end = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + beyond);
  return { first, end: Math.max(first, end) };
}
