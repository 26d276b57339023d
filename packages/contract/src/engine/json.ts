/** A value that survives JSON. Everything in a journal, an audit event or a wire record is one. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** Named values: validated input, the arguments of a tool, the fields of a log line. */
export type Values = Readonly<Record<string, unknown>>;

/** A value now or later. */
export type Awaitable<T> = T | Promise<T>;

/** Undoes one registration; calling it twice is harmless. */
export type Cancel = () => void;
