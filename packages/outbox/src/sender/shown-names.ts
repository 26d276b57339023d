import type { WebhookEndpoint } from '@waymark/contract/stores';

/**
 * What health calls each endpoint, by its name. It is the same for everybody, and hosts are not for everybody: an endpoint
 * whose name is made of its host is told by its place in the listing, `#2`.
 */
export function shownNames(endpoints: readonly WebhookEndpoint[]): ReadonlyMap<string, string> {
  return new Map(
    endpoints.map(({ name, url }, i) => {
      const host = URL.canParse(url) ? new URL(url).hostname : '';
      const isHidden = host === '' || name.includes(host);
      return [name, isHidden ? `#${i + 1}` : name.replace(/^notify:/, '')];
    }),
  );
}
