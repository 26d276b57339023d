/**
 * Makes an error that does not know where it was made: to find that out takes 15 µs, more than all else of an answer to who is
 * over a limit and asks thousands of times a second. Of what many may bring about nobody wants to know it.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
