/** Trusted Types, which not every browser has. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/** The only policy that the page's content security policy lets be made: addresses of its own scripts. */
const scriptPolicy = 'own-scripts';

/** What a browser takes as the address of a worker. @throws {TypeError} where the page may make no policy */
export function toScriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  const policy = trustedTypes.createPolicy(scriptPolicy, {
    createScriptURL: () => url,
  });
  return policy.createScriptURL(url);
}
