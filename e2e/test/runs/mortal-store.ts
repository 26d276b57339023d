import type { RunStore, SessionStore } from '@waymark/contract/stores';
import type { Life } from './world.ts';

/** A store that an engine can die before and after each use of; a dead one never reaches it. */
export function mortalStore<S extends RunStore | SessionStore>(store: S, life: Life): S {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        // In somebody else's transaction a hanging call would keep all writers waiting: a real death undoes it.
        const inside = name === 'commit' && args[2] !== undefined;
        life.use(String(name));
        if (!life.pass(`before ${String(name)}`)) {
          if (inside) throw new Error('the process died');
          return new Promise<never>(() => {});
        }
        const result = await Reflect.apply(method, target, args);
        if (!life.pass(`after ${String(name)}`)) {
          if (inside) throw new Error('the process died');
          return new Promise<never>(() => {});
        }
        return result;
      };
    },
  });
}
