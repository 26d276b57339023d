/** Told of each state; `until` waits for the first of its name. */
export function states() {
  const seen: { readonly state: string; readonly error: Error | undefined }[] = [];
  let wake = (): void => {};
  return {
    seen,
    onState: (state: string, error?: Error): void => {
      seen.push({ state, error });
      wake();
    },
    async until(state: string) {
      for (;;) {
        const found = seen.find((one) => one.state === state);
        if (found) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
