/**
 * One promise of a store, as a test: every implementation runs all of them.
 *
 *     it.each(auditStoreCases)('$name', ({ run }) => run(memoryAuditStore()));
 */
export interface StoreCase<S> {
  /** Reads on from the name of the store: `lists the newest records first`. */
  readonly name: string;
  /** @param store fresh and empty @throws {AssertionError} when the promise is broken */
  run(store: S): Promise<void>;
}
