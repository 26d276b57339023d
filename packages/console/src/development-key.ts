/** The name of a key, never the key. */
export interface DevelopmentKey {
  readonly variable: string;
  /** As it is written from where somebody works. */
  readonly file: string;
}
