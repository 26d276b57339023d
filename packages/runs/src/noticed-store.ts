import type { OpCommit, RunStore } from '@waymark/contract/stores';

/** The writes after which there may be other pending approvals, waits or sessions. */
const counted: ReadonlySet<string | symbol> = new Set<keyof RunStore>([
  ...(['start', 'commit', 'decide', 'expire', 'finish', 'cancel'] as const),
]);

/** The same store, which says when a write of this process may have changed what is counted. */
export function noticedStore(store: RunStore, changed: () => void): RunStore {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const work: unknown = Reflect.apply(method, target, args);
        // Told before whoever made the write goes on, whatever became of it.
        if (counted.has(name) && !isStep(name, args)) void Promise.resolve(work).then(changed, changed);
        return work;
      };
    },
  });
}

/** Most commits ask nobody, and end no wait that was counted. */
function isStep(name: string | symbol, [, commit]: readonly unknown[]): boolean {
  return (
    name === 'commit' &&
    (commit as OpCommit).approvals === undefined &&
    (commit as OpCommit).wait === undefined
  );
}
