import type { Values } from './json.ts';

/** Rows for contexts and pages. */
export interface Database {
  /**
   * The rows of a statement that reads. Parameters bind by position, or by name without the sign; all of them and no
   * others. Waits for no writer.
   *
   * @throws {HTTPError} 422 values that do not fit · 503 out of reach; anything else is a mistake of the program
   */
  many(sql: string, params: Values | readonly unknown[], signal?: AbortSignal): Promise<readonly Values[]>;
  /**
   * Looks at a statement without running it, for checks at boot: tables and columns must exist.
   *
   * @returns what is wrong with it; or whether it only reads, the names of its parameters in their order (undefined for
   * `?`), and the names of its columns, which a remote database does not say
   */
  check(sql: string): Promise<
    | { readonly ok: false; readonly problem: string }
    | {
        readonly ok: true;
        readonly reads: boolean;
        readonly parameters: readonly (string | undefined)[];
        readonly columns: readonly string[];
      }
  >;
}
