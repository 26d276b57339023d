/** What a server of many sockets is asked to do. */
export type Ask = 'look' | { readonly write: readonly string[] };

/** What it has used so far. */
export interface Used {
  readonly url: string;
  /** User and system time of the whole process, until it looked, and with looking, which takes a collection. */
  readonly cpuMs: number;
  readonly lookedCpuMs: number;
  /** In use when everything that can go has gone: of the heap, and outside of it. */
  readonly bytes: number;
}
