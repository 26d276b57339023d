/** The same function, which works once for each argument: what comes of a run that nobody disturbs is asked for again and again. */
export function once<A, R>(work: (argument: A) => R): (argument: A) => R {
  const done = new Map<A, R>();
  return (argument) => {
    const known = done.get(argument);
    if (known !== undefined) return known;
    const result = work(argument);
    done.set(argument, result);
    return result;
  };
}
