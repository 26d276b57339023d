/** What a process held at a moment, after everything was collected; MB. */
export interface MemorySample {
  /** Since its start. */
  readonly atHours: number;
  /** Without compiled code, with what it holds outside (buffers). */
  readonly heap: number;
  readonly code: number;
  readonly rss: number;
}

/** A line through samples: how fast it rises in an hour, and by how much that may be wrong (twice its standard error). */
export interface Rise {
  readonly perHour: number;
  readonly error: number;
}

/** Fits a line by least squares. @param samples 3 or more */
export function riseOf(samples: readonly MemorySample[]): Rise {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [atMean, heapMean] = [
    mean(samples.map(({ atHours }) => atHours)),
    mean(samples.map(({ heap }) => heap)),
  ];
  const sum = (of: (at: number, heap: number) => number): number =>
    samples.reduce((all, { atHours, heap }) => all + of(atHours - atMean, heap - heapMean), 0);
  const spread = sum((at) => at * at);
  const perHour = sum((at, heap) => at * heap) / spread;
  const rest = sum((at, heap) => (heap - perHour * at) ** 2);
  return { perHour, error: 2 * Math.sqrt(rest / (samples.length - 2) / spread) };
}
