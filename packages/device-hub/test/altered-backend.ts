import type { HubBackend } from '@waymark/contract/hub';

/** A backend that does some things in another way. */
export function alteredBackend(backend: HubBackend, changes: Partial<HubBackend>): HubBackend {
  return new Proxy(backend, {
    get(target, name: keyof HubBackend) {
      return (changes[name] ?? target[name])?.bind(target);
    },
  });
}
