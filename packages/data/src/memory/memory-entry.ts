/** One entry as it is shown to its owner. */
export interface MemoryEntry {
  readonly key: string;
  readonly value: string;
  readonly updated_at_ms: number;
}
