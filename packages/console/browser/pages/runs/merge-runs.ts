/** A row of the listing, as far as its order goes. */
interface Listed {
  readonly run_id: string;
}

/**
 * Takes the newest page of a listing into what is known of it: ids sort by time, so what stands before the last row of the
 * page is as the page says, and what is older stays.
 *
 * @param whole the page is all that there is
 */
export function mergeRuns<R extends Listed>(
  known: readonly R[],
  page: readonly R[],
  whole: boolean,
): readonly R[] {
  const last = page.at(-1);
  if (whole || last === undefined) return page;
  const older = known.filter(({ run_id: id }) => id < last.run_id);
  return [...page, ...older];
}
